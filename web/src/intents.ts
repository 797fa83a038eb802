import { type ActionName, usualFlatten } from "../../src/control/actions.ts";
import type { ShownRow } from "./live.ts";

/** An action that somebody is about to do. */
export interface Intent {
  readonly action: ActionName;
  /** What the button and the confirmation say. */
  readonly title: string;
  /** What it is about, where the title does not say it. */
  readonly about?: string;
  readonly body: object;
  /** Asked for in the confirmation; their values go into the body by name, or into this member of it. */
  readonly fields?: readonly Field[];
  readonly fieldsIn?: string;
  /** Among several. */
  readonly bot?: Bot;
  /** Called when it was done. */
  readonly done?: () => void;
}

type Bot = ShownRow["bot"];

export interface Field {
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

const asText = (value: string): string => value;

const fieldsOf: Partial<Readonly<Record<ActionName, readonly Field[]>>> = {
  resume: [
    {
      name: "force",
      label: "Count losses from zero, so that the risk ladder does not act again at once",
      type: "checkbox",
      read: (value) => value === "on",
    },
  ],
  flatten: [
    {
      name: "maxSlippage",
      label: "Slippage at most, %",
      type: "number",
      value: String(usualFlatten.maxSlippage * 100),
      read: (value) => Number(value) / 100,
    },
    {
      name: "withinMs",
      label: "Within, seconds",
      type: "number",
      value: String(usualFlatten.withinMs / 1000),
      read: (value) => Number(value) * 1000,
    },
  ],
  halt: [{ name: "reason", label: "Reason", type: "text", read: asText }],
};

const titles = {
  pause: "Pause",
  "reduce-only": "Reduce only",
  resume: "Resume",
  cancel: "Cancel orders of",
  flatten: "Flatten",
  halt: "Halt",
} as const;
type ScopedAction = keyof typeof titles;

/** An action on one strategy, or on the whole bot; among several on this one. */
export function scopedIntent(
  action: ScopedAction,
  strategy: string | undefined,
  bot?: Bot,
): Intent {
  const scope = [bot?.name, strategy].filter((name) => name !== undefined).join(" ");
  return {
    action,
    title: `${titles[action]} ${scope || "all"}`,
    bot,
    body: strategy === undefined ? {} : { strategy },
    fields: fieldsOf[action] ?? [],
  };
}

/** All actions on one strategy, or on the whole bot. */
export function scopedIntents(strategy: string | undefined, bot?: Bot): readonly Intent[] {
  const intents = (Object.keys(titles) as ScopedAction[]).map((action) =>
    scopedIntent(action, strategy, bot),
  );
  const title = `Reload parameters${bot === undefined ? "" : ` of ${bot.name}`}`;
  const reload: Intent = { action: "reload", title, body: {}, bot };
  return strategy === undefined ? [...intents, reload] : intents;
}

/** A trade that was made elsewhere, for the strategy's position. */
export function bookIntent(strategy: string, marketId: string, ticker: string): Intent {
  const [base = "base", quote = "quote"] = ticker.split("/");
  return {
    action: "book",
    title: "Book a trade",
    about: `A trade of ${strategy} in ${ticker}.`,
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
