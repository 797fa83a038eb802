import { isAtLeast } from "../../domain/risk-step.ts";
import type { Invariant } from "../invariant.ts";
import { LadderSteps } from "../ladder-steps.ts";

/** Each quote is canceled within this time after a step, and again, while requests hang and the rate budget is short. */
const CANCEL_MS = 6_000;

/**
 * A step of the ladder is left by an operator or after its trigger's `recoverAfter` only, also over restarts. At a pause or halt
 * nothing is quoted. A quote is judged when the kernel orders it, since it may be sent before observers learn that a pause has ended.
 */
export const riskSteps: Invariant = {
  name: "risk-steps",
  watch({ scenario, oracle, sent, elapsedMs, isBotAlive, unreachableMs, blockedMs }) {
    const steps = new LadderSteps(scenario);
    let aliveSinceMs = 0;
    let pausedSinceMs: number | undefined;
    return {
      runStarts() {
        aliveSinceMs = elapsedMs();
        steps.runStarts(oracle.hasJournalGap);
      },
      entry(entry) {
        const problem = steps.entry(entry);
        if (problem !== undefined) return problem;
        const { hardest } = steps;
        if (!isAtLeast(hardest, "pause")) {
          pausedSinceMs = undefined;
          return undefined;
        }
        pausedSinceMs ??= elapsedMs();
        const quote = entry.effects.find(({ type }) => type === "place" || type === "modify");
        return quote === undefined
          ? undefined
          : `a ${quote.type} was ordered at the step ${hardest} of the risk ladder`;
      },
      tick() {
        if (pausedSinceMs === undefined || !isBotAlive()) return undefined;
        const sinceMs = Math.max(pausedSinceMs, aliveSinceMs, unreachableMs(), blockedMs());
        const resting = oracle.restingQuote((orderId) => sent.isLeaving(orderId, CANCEL_MS));
        return resting === undefined || elapsedMs() - sinceMs <= CANCEL_MS
          ? undefined
          : `${resting.orderId} rests without a cancel although the risk ladder has paused the bot`;
      },
    };
  },
};
