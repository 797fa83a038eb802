import { isAtLeast } from "../domain/risk-step.ts";
import { riskOutlook } from "./risk/risk-watch.ts";
import type { OperatorState } from "./operator-state.ts";
import { runnersOf } from "./slots.ts";
import type { KernelState } from "./state.ts";
import type { StrategyRunner } from "./strategy/strategy-runner.ts";

/** What a resume would do at this moment, as sentences for the operator. */
export interface ResumeReport {
  /** Pauses, halts and steps of the risk ladder that it ends. */
  readonly lifted: readonly string[];
  /** What of it an agent may not end: all but pauses and reduce only. */
  readonly guarded: readonly string[];
  /** What restricts quoting after it. */
  readonly remaining: readonly string[];
  /** The strategies whose own pause, halt or reduce only is among `remaining`. */
  readonly stopped: readonly string[];
  /** Sentences of the triggers that would reach `reduceOnly` or a harder step at once: while there are any, only force resumes. */
  readonly holding: readonly string[];
}

/** What a resume of one strategy, or of all and the bot, would do. */
export function resumeReport(
  state: KernelState,
  strategy: string | undefined,
  force: boolean,
): ResumeReport {
  const outlook = riskOutlook(state, strategy, force);
  const holding = outlook.flatMap(({ after, text }) =>
    isAtLeast(after, "reduceOnly") ? [text] : [],
  );
  const left =
    strategy === undefined ? state.runners.filter((runner) => stopsOf(runner).length > 0) : [];
  const remaining = [
    ...(strategy === undefined
      ? left.flatMap(stopsOf).map(({ text }) => text)
      : restrictionsOfBot(state)),
    ...outlook.flatMap(({ after, text }) => (after === "normal" ? [] : [`${after}: ${text}`])),
  ];
  const lifted = outlook.flatMap(({ before, after, origin }) =>
    before === after || !isAtLeast(before, after) ? [] : [`${before} by the ${origin}`],
  );
  const stops = endedStops(state, strategy);
  const guarded = [
    ...stops.filter(({ isGuarded }) => isGuarded).map(({ text }) => text),
    ...lifted,
    ...(force ? ["losses counted so far"] : []),
  ];
  const stopped = left.map(({ name }) => name);
  return {
    lifted: [...stops.map(({ text }) => text), ...lifted],
    guarded,
    remaining,
    stopped,
    holding,
  };
}

/** A pause, halt or doubt that a resume ends. */
interface Stop {
  readonly text: string;
  /** Only a person may end it. */
  readonly isGuarded: boolean;
}

/** What operators set, and markets in doubt, that the resume ends. */
function endedStops(state: KernelState, strategy: string | undefined): readonly Stop[] {
  const { doubts, operator } = state;
  if (strategy !== undefined) return runnersOf(state, strategy).flatMap(stopsOf);
  return [
    ...stopsSet("the bot", operator, `the halt (${operator.haltReason})`),
    ...[...doubts.left].map(([marketId, reason]) => ({
      text: `market ${marketId}, which was not quoted any more: ${reason}`,
      isGuarded: true,
    })),
  ];
}

/** What the operator told one strategy. */
function stopsOf({ name, operator }: StrategyRunner): readonly Stop[] {
  return stopsSet(name, operator, `the halt of ${name} (${operator.haltReason})`);
}

function stopsSet(
  name: string,
  { haltReason, isPaused, isReduceOnly }: OperatorState,
  halt: string,
): readonly Stop[] {
  return [
    ...(haltReason === undefined ? [] : [{ text: halt, isGuarded: true }]),
    ...(isPaused ? [{ text: `the pause of ${name}`, isGuarded: false }] : []),
    ...(isReduceOnly ? [{ text: `reduce only of ${name}`, isGuarded: false }] : []),
  ];
}

/** Restrictions of the whole bot, which a resume of one strategy does not end. */
function restrictionsOfBot({ operator, risk }: KernelState): readonly string[] {
  const halt = `the halt of the whole bot (${operator.haltReason})`;
  const { step = "normal", text = "" } = risk?.bot.ladder.standing ?? {};
  const stops = stopsSet("the whole bot", operator, halt).map((stop) => stop.text);
  return step === "normal" ? stops : [...stops, `${step}: ${text}`];
}
