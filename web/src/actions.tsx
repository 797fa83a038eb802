import { type ComponentChildren, createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { act, type Outcome } from "./api.ts";
import { Confirmation } from "./confirmation.tsx";
import { timeText } from "./format.ts";
import { type Intent, scopedIntents } from "./intents.ts";
import type { Shown } from "./live.ts";

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
  const run = async ({ action, title, body, bot, done }: Intent): Promise<void> => {
    setIntent(undefined);
    setBusy(title);
    const outcome = await act(action, body, bot?.name);
    setBusy("");
    setResult({ ...outcome, title, timeMs: Date.now(), logged: newest });
    if (outcome.ok) done?.();
  };
  const start = (wanted: Intent): void => {
    // It may be urgent, and does no harm.
    if (wanted.action === "pause") void run(wanted);
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
          mode={intent.bot?.mode ?? shown.mode}
          isStale={isStale}
          onConfirm={(body) => void run({ ...intent, body })}
          onCancel={() => setIntent(undefined)}
        />
      )}
    </ActionContext.Provider>
  );
}

/** The actions on one strategy, or on the whole bot, among several on this one; none for those who may not act. */
export function ActionButtons(props: {
  readonly scope: string | undefined;
  readonly bot?: Intent["bot"];
  readonly children?: ComponentChildren;
}) {
  const { scope, bot, children } = props;
  const { mayAct, start } = useActions();
  if (!mayAct) return null;
  return (
    <div
      class="buttons"
      role="group"
      aria-label={`Actions on ${scope ?? bot?.name ?? "the whole bot"}`}
    >
      {scopedIntents(scope, bot).map((intent) => (
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
