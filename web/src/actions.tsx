import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { ActionName } from "../../src/control/protocol.ts";
import { act, type Outcome } from "./api.ts";
import { timeText } from "./format.ts";
import type { Shown } from "./live.ts";
import { modeTexts } from "./state-text.ts";

/** An action that somebody is about to do. */
export interface Intent {
  readonly action: ActionName;
  /** What the button and the confirmation say. */
  readonly title: string;
  readonly text: string;
  readonly body: object;
  /** Asked for in the confirmation; their values go into the body by name, or into this member of it. */
  readonly fields?: readonly Field[];
  readonly fieldsIn?: string;
  /** Called when it was done. */
  readonly done?: () => void;
  /** Done at once. */
  readonly isSafe?: boolean;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "number" | "checkbox" | "datetime-local" | "select";
  readonly value?: string;
  readonly isOptional?: boolean;
  /** Of a select: value and text. */
  readonly choices?: readonly (readonly [string, string])[];
  /** The field's value as the body has it. */
  readonly read: (value: string) => unknown;
}

interface Actions {
  readonly mayAct: boolean;
  readonly start: (intent: Intent) => void;
}

const ActionContext = createContext<Actions>({ mayAct: false, start: () => undefined });
export const useActions = (): Actions => useContext(ActionContext);

interface Result extends Outcome {
  readonly title: string;
  readonly timeMs: number;
  /** Log rows up to this number were there before. */
  readonly logged: number;
}

/** Confirms actions, does them and shows what came of them, with their entry of the journal. */
export function ActionProvider(props: {
  readonly mayAct: boolean;
  readonly isStale: boolean;
  readonly shown: Shown;
  readonly children: ComponentChildren;
}) {
  const { mayAct, isStale, shown, children } = props;
  const [intent, setIntent] = useState<Intent | undefined>(undefined);
  const [busy, setBusy] = useState("");
  const [result, setResult] = useState<Result | undefined>(undefined);
  const newest = Math.max(0, ...Object.keys(shown.log).map(Number));
  const run = async ({ action, title, body, done }: Intent): Promise<void> => {
    setIntent(undefined);
    setBusy(title);
    const outcome = await act(action, body);
    setBusy("");
    setResult({ ...outcome, title, timeMs: Date.now(), logged: newest });
    if (outcome.ok) done?.();
  };
  const start = (wanted: Intent): void => {
    if (wanted.isSafe === true) void run(wanted);
    else setIntent(wanted);
  };
  const journaled = Object.entries(shown.log).filter(
    ([number, { text }]) => Number(number) > (result?.logged ?? 0) && text.startsWith("operator: "),
  );
  return (
    <ActionContext.Provider value={{ mayAct, start }}>
      {children}
      <div class="results" role="status">
        {busy !== "" && <p class="result">{busy}: under way…</p>}
        {result !== undefined && (
          <div class={`result ${result.ok ? "done" : "failed"}`}>
            <p>
              <b>{result.title}</b>: {result.ok ? "done" : "not done"} at {timeText(result.timeMs)}.{" "}
              {result.text}
            </p>
            {journaled.map(([number, { text }]) => (
              <p key={number} class="muted">
                In the journal: {text.replace("operator: ", "")}
              </p>
            ))}
            <button type="button" class="small" onClick={() => setResult(undefined)}>
              Close
            </button>
          </div>
        )}
      </div>
      {intent !== undefined && (
        <Confirmation
          intent={intent}
          mode={shown.mode}
          isStale={isStale}
          onConfirm={(body) => void run({ ...intent, body })}
          onCancel={() => setIntent(undefined)}
        />
      )}
    </ActionContext.Provider>
  );
}

function Confirmation(props: {
  readonly intent: Intent;
  readonly mode: Shown["mode"];
  readonly isStale: boolean;
  readonly onConfirm: (body: object) => void;
  readonly onCancel: () => void;
}) {
  const { intent, mode, isStale, onConfirm, onCancel } = props;
  const { title, text, body, fields = [], fieldsIn } = intent;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const given = Object.fromEntries(
      fields.map(({ name, read }) => {
        const value = form.get(name);
        return [name, read(typeof value === "string" ? value : "")];
      }),
    );
    const part = fieldsIn === undefined ? body : (Reflect.get(body, fieldsIn) as object);
    const filled = { ...part, ...given };
    onConfirm(fieldsIn === undefined ? filled : { ...body, [fieldsIn]: filled });
  };
  return (
    <dialog ref={dialog} onClose={onCancel} aria-labelledby="confirm-title">
      <form onSubmit={confirm}>
        <h2 id="confirm-title">
          <span class={`mode ${mode}`}>{modeTexts[mode][0]}</span> {title}
        </h2>
        <p>{text}</p>
        {isStale && <p class="problem-text">The figures on this page are out of date.</p>}
        {fields.map((field) => {
          const { name, label, type, choices = [] } = field;
          return (
            <label key={name} class={type === "checkbox" ? "check" : ""}>
              {type === "checkbox" && <input name={name} type="checkbox" />}
              {label}
              {type === "select" && (
                <select name={name}>
                  {choices.map(([choice, choiceText]) => (
                    <option key={choice} value={choice}>
                      {choiceText}
                    </option>
                  ))}
                </select>
              )}
              {type === "number" && <input {...common(field)} type="number" step="any" />}
              {type === "datetime-local" && <input {...common(field)} type="datetime-local" />}
              {type === "text" && <input {...common(field)} maxLength={200} />}
            </label>
          );
        })}
        <div class="buttons">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {title}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function common({ name, value = "", isOptional = false }: Field) {
  return { name, defaultValue: value, required: !isOptional };
}

/** The actions on one strategy, or on the whole bot; none for those who may not act. */
export function ActionButtons(props: {
  readonly scope: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const { scope, children } = props;
  const { mayAct, start } = useActions();
  if (!mayAct) return null;
  return (
    <div class="buttons" role="group" aria-label={`Actions on ${scope ?? "the whole bot"}`}>
      {intentsOf(scope).map((intent) => (
        <button
          key={intent.action}
          type="button"
          class={intent.action === "halt" || intent.action === "flatten" ? "danger" : ""}
          onClick={() => start(intent)}
        >
          {intent.title}
        </button>
      ))}
      {children}
    </div>
  );
}

export function pauseIntent(scope: string | undefined): Intent {
  const [of, body] = scoped(scope);
  const text = `Cancels the quotes of ${of} and keeps running.`;
  return { action: "pause", title: `Pause ${scope ?? "all"}`, text, body, isSafe: true };
}

export function resumeIntent(scope: string | undefined): Intent {
  const [, body] = scoped(scope);
  return {
    action: "resume",
    title: `Resume ${scope ?? "all"}`,
    text:
      scope === undefined
        ? "Ends the halt, the pause and reduce only of the bot as a whole, and all steps of the risk ladder. What was set for one strategy alone stays until that strategy is resumed."
        : `Ends the halt, the pause, reduce only and the steps of the risk ladder of ${scope}. What was set for the bot as a whole stays.`,
    body,
    fields: [
      {
        name: "force",
        label: "Count losses from zero, so that the risk ladder does not act again at once",
        type: "checkbox",
        read: (value) => value === "on",
      },
    ],
  };
}

/** A trade that was made elsewhere, for the strategy's position. */
export function bookIntent(strategy: string, marketId: string, ticker: string): Intent {
  const [base = "base", quote = "quote"] = ticker.split("/");
  const asText = (value: string): string => value;
  return {
    action: "book",
    title: "Book a trade",
    text: `Adds a trade in ${ticker} that was made by hand to the position of ${strategy}. Nothing is sent to the venue.`,
    body: { strategy, trade: { marketId } },
    fieldsIn: "trade",
    fields: [
      {
        name: "side",
        label: "Side",
        type: "select",
        choices: [
          ["BUY", "bought"],
          ["SELL", "sold"],
        ],
        read: asText,
      },
      { name: "quantity", label: `Quantity, ${base}`, type: "number", read: asText },
      { name: "price", label: `Price, ${quote}`, type: "number", read: asText },
      {
        name: "fee",
        label: "Fee, of the token that the trade brought",
        type: "number",
        value: "0",
        read: asText,
      },
      {
        name: "timeMs",
        label: "When it was made; empty: now",
        type: "datetime-local",
        isOptional: true,
        read: (value) => (value === "" ? Date.now() : Date.parse(value)),
      },
      {
        name: "tradeId",
        label: "Transaction or trade id, as a reference",
        type: "text",
        isOptional: true,
        read: asText,
      },
    ],
  };
}

/** A foreign order that becomes a strategy's own. */
export function takeOverIntent(orderId: string, strategy: string, text: string): Intent {
  return {
    action: "take-over",
    title: "Take over",
    text: `Makes ${text} an order of ${strategy}: its fills count there, and the strategy keeps, replaces or cancels it as its own.`,
    body: { strategy, orderId, confirm: true },
  };
}

/** An order that is canceled alone. */
export function cancelIntent(orderId: string, text: string): Intent {
  return {
    action: "cancel",
    title: "Cancel order",
    text: `Cancels ${text}. A strategy or program that is not paused may place it again.`,
    body: { orderIds: [orderId], confirm: true },
  };
}

function intentsOf(scope: string | undefined): readonly Intent[] {
  const [of, body] = scoped(scope);
  const confirmed = { ...body, confirm: true };
  const name = scope ?? "all";
  const intents: readonly Intent[] = [
    pauseIntent(scope),
    {
      action: "reduce-only",
      title: `Reduce only ${name}`,
      text: `Lets ${of} only bring its position nearer to 0 until somebody resumes; other orders are canceled.`,
      body,
    },
    resumeIntent(scope),
    {
      action: "cancel",
      title: `Cancel orders of ${name}`,
      text: `Cancels every own order of ${of} once. Without a pause it quotes again.`,
      body: confirmed,
    },
    {
      action: "flatten",
      title: `Flatten ${name}`,
      text: `Pauses ${of} and works its position off, at most this far from the mid, in this time.`,
      body: confirmed,
      fields: [
        {
          name: "maxSlippage",
          label: "Slippage at most, %",
          type: "number",
          value: "0.5",
          read: (value) => Number(value) / 100,
        },
        {
          name: "withinMs",
          label: "Within, seconds",
          type: "number",
          value: "60",
          read: (value) => Number(value) * 1000,
        },
      ],
    },
    {
      action: "halt",
      title: `Halt ${name}`,
      text: `Cancels every own order of ${of} and refuses to quote until somebody resumes, over restarts too.`,
      body: confirmed,
      fields: [{ name: "reason", label: "Reason", type: "text", read: (value) => value }],
    },
  ];
  if (scope !== undefined) return intents;
  const reload: Intent = {
    action: "reload",
    title: "Reload parameters",
    text: "Takes the parameters that the bot's file has now.",
    body: {},
  };
  return [...intents, reload];
}

function scoped(scope: string | undefined): readonly [string, object] {
  return scope === undefined ? ["every strategy", {}] : [scope, { strategy: scope }];
}
