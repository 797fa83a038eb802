import { harderStep, isAtLeast, type RiskStep } from "../../domain/risk-step.ts";
import { riskSchema } from "../../risk/settings.ts";
import { triggerNames } from "../../risk/triggers.ts";
import type { Invariant } from "../invariant.ts";

/** Time for the cancels of quotes to be sent after a step, while requests hang and the rate budget is short. */
const CANCEL_MS = 6_000;

/** A step is left by an operator or after its trigger's `recoverAfter` only, also over restarts. At a pause or halt nothing is quoted. */
export const riskSteps: Invariant = {
  name: "risk-steps",
  watch({ scenario, oracle, sent, elapsedMs, isBotAlive, refusedMs }) {
    const { triggers } = riskSchema.parse({ triggers: scenario.triggers });
    const steps = new Map<string, { readonly step: RiskStep; readonly atMs: number }>();
    let aliveSinceMs = 0;
    let pausedSinceMs: number | undefined;
    const overdueMs = (): number =>
      pausedSinceMs === undefined
        ? 0
        : elapsedMs() - Math.max(pausedSinceMs, aliveSinceMs) - CANCEL_MS;
    return {
      runStarts() {
        aliveSinceMs = elapsedMs();
        // The journal may lack the newest steps.
        if (!oracle.hasJournalGap && !oracle.hasUnseenStep) return;
        steps.clear();
        pausedSinceMs = undefined;
      },
      entry({ batch, notes }) {
        const isResumed = batch.inputs.some(
          (input) => input.type === "operator" && input.command === "resume",
        );
        let problem: string | undefined;
        for (const note of notes) {
          if (note.type !== "risk" || note.of !== undefined) continue;
          const name = triggerNames.find((known) => known === note.trigger);
          const before = steps.get(note.trigger);
          steps.set(note.trigger, { step: note.step, atMs: elapsedMs() });
          const isLower = before !== undefined && !isAtLeast(note.step, before.step);
          const recovers = name !== undefined && triggers[name]?.recoverAfterMs !== undefined;
          if (isLower && !isResumed && !recovers) {
            problem = `${note.trigger} went from ${before.step} to ${note.step} by itself`;
          }
        }
        const hardest = [...steps.values()].reduce<RiskStep>(
          (step, other) => harderStep(step, other.step),
          "normal",
        );
        if (isAtLeast(hardest, "pause")) pausedSinceMs ??= elapsedMs();
        else pausedSinceMs = undefined;
        return problem;
      },
      request(transaction) {
        const type = transaction?.command.type;
        if (overdueMs() <= 0 || (type !== "place" && type !== "modify")) return undefined;
        return `a ${type} was sent although the risk ladder has paused the bot`;
      },
      tick() {
        if (overdueMs() <= 0 || !isBotAlive() || elapsedMs() - refusedMs() <= CANCEL_MS) {
          return undefined;
        }
        const resting = oracle.restingQuote(sent.leaving);
        return resting === undefined
          ? undefined
          : `${resting.orderId} rests without a cancel although the risk ladder has paused the bot`;
      },
    };
  },
};
