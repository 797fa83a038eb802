import { isAtLeast } from "../domain/risk-step.ts";
import { riskOutlook } from "./risk/risk-watch.ts";
import type { KernelState } from "./state.ts";
import type { StrategyRunner } from "./strategy/strategy-runner.ts";

/** What a resume would do at this moment, as sentences for the operator. */
export interface ResumeReport {
  /** Pauses, halts and steps of the risk ladder that it ends. */
  readonly lifted: readonly string[];
  /** What restricts quoting after it. */
  readonly remaining: readonly string[];
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
  const remaining = [
    ...(strategy === undefined ? state.runners.flatMap(stopsOf) : restrictionsOfBot(state)),
    ...outlook.flatMap(({ after, text }) => (after === "normal" ? [] : [`${after}: ${text}`])),
  ];
  const lifted = outlook.flatMap(({ before, after, origin }) =>
    before === after || !isAtLeast(before, after) ? [] : [`${before} by the ${origin}`],
  );
  return { lifted: [...endedStops(state, strategy), ...lifted], remaining, holding };
}

/** What operators set, and markets in doubt, that the resume ends. */
function endedStops(state: KernelState, strategy: string | undefined): readonly string[] {
  const { runners, doubts } = state;
  const { haltReason, isPaused, isReduceOnly } = state.operator;
  const parts: string[] = [];
  const isAll = strategy === undefined;
  if (isAll && haltReason !== undefined) parts.push(`the halt (${haltReason})`);
  if (isAll && isPaused) parts.push("the pause of the bot");
  if (isAll && isReduceOnly) parts.push("reduce only of the bot");
  for (const runner of runners) if (runner.name === strategy) parts.push(...stopsOf(runner));
  if (!isAll) return parts;
  for (const [marketId, reason] of doubts.left) {
    parts.push(`market ${marketId}, which was not quoted any more: ${reason}`);
  }
  return parts;
}

/** What the operator told one strategy. */
function stopsOf({ name, operator }: StrategyRunner): readonly string[] {
  const { haltReason, isPaused, isReduceOnly } = operator;
  return [
    ...(haltReason === undefined ? [] : [`the halt of ${name} (${haltReason})`]),
    ...(isPaused ? [`the pause of ${name}`] : []),
    ...(isReduceOnly ? [`reduce only of ${name}`] : []),
  ];
}

/** Restrictions of the whole bot, which a resume of one strategy does not end. */
function restrictionsOfBot({ operator, risk }: KernelState): readonly string[] {
  const { haltReason, isPaused, isReduceOnly } = operator;
  const parts: string[] = [];
  if (haltReason !== undefined) parts.push(`the halt of the whole bot (${haltReason})`);
  if (isPaused) parts.push("the pause of the whole bot");
  if (isReduceOnly) parts.push("reduce only of the whole bot");
  const standing = risk?.bot.ladder.standing;
  if (standing !== undefined && standing.step !== "normal") {
    parts.push(`${standing.step}: ${standing.text}`);
  }
  return parts;
}
