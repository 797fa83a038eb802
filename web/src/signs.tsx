import { type StrategyState, states } from "../../src/dashboard/strategy-state.ts";
import type { Shown, ShownRow } from "./live.ts";

/** Health has a shape and a word beside its colour, and no colour of a side. */
export const healthSigns = { good: "●", warn: "▲", bad: "■" } as const;
export type Health = keyof typeof healthSigns;

export const modeTexts: Readonly<Record<Shown["mode"], readonly [string, string]>> = {
  live: ["LIVE", "orders go to the venue, with real money unless the venue is a paper one"],
  paper: ["PAPER", "fills are simulated, no order goes to a venue"],
  dryRun: ["DRY RUN", "nothing is sent"],
  demo: ["DEMO", "a paper venue on this machine, play money"],
};

export function ModeSign({ mode }: { readonly mode: Shown["mode"] }) {
  const [name, title] = modeTexts[mode];
  return (
    <span class={`mode ${mode}`} title={title}>
      {name}
    </span>
  );
}

/** One of several bots, with a link to its own page. */
export function BotSign({
  bot: { mode, url, name },
}: {
  readonly bot: NonNullable<ShownRow["bot"]>;
}) {
  return (
    <span>
      <ModeSign mode={mode} /> <a href={`${url}/`}>{name}</a>
    </span>
  );
}

export function StateSign({ state }: { readonly state: StrategyState }) {
  const [health, text] = states[state];
  return (
    <span class={`state-sign ${health}`}>
      <i aria-hidden="true">{healthSigns[health]}</i> {text}
    </span>
  );
}

export function LimitUsed({ limit }: { readonly limit: ShownRow["limit"] | undefined }) {
  if (limit === undefined) return <>–</>;
  const { limit: name, share, text } = limit;
  const level: Health = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  return (
    <span class={`used ${level}`} title={`${name}: ${text}`}>
      {Math.round(share * 100)} % <small>{name}</small>
    </span>
  );
}
