import type { Input } from "../../kernel/input.ts";
import type { Invariant } from "../invariant.ts";

/** Time for the cancel of a quote to be sent after a pause, while requests hang and the rate budget is short. */
const CANCEL_MS = 10_000;

/**
 * A due cancel leaves in time: while the operator has paused the bot, no quote rests for which no cancel was sent, and none is placed. A
 * pause that the journal has holds from the first step of the next run.
 */
export const pausedMeansCanceled: Invariant = {
  name: "paused-means-canceled",
  watch({ oracle, sent, elapsedMs, pausedSinceMs, isBotAlive, unreachableMs, blockedMs }) {
    let aliveSinceMs: number | undefined;
    /** Since when the run knows the venue's clock: it signs nothing before. */
    let signsSinceMs: number | undefined;
    /** Whether the kernel received a pause: by the operator, or by the journal of an earlier run. */
    let isTold = false;
    /** When the bot last found orders that its journal had lost: it cannot cancel them before. */
    let adoptedMs = Number.NEGATIVE_INFINITY;
    return {
      runStarts() {
        aliveSinceMs = elapsedMs();
        signsSinceMs = undefined;
        isTold = false;
      },
      entry({ batch, effects }) {
        if (effects.some(({ type }) => type === "adopt")) adoptedMs = elapsedMs();
        for (const input of batch.inputs) {
          isTold = toldBy(input) ?? isTold;
          if (input.type === "venueTime") signsSinceMs ??= elapsedMs();
        }
        const quote = effects.find(({ type }) => type === "place" || type === "modify");
        return isTold && quote !== undefined
          ? `a ${quote.type} was ordered by a kernel that knows of the pause`
          : undefined;
      },
      request(transaction) {
        const sinceMs = pausedSinceMs();
        if (sinceMs === undefined || aliveSinceMs === undefined) return undefined;
        // The pause is an input of the next step, and a step may wait for the disk before its orders leave.
        if (elapsedMs() - Math.max(sinceMs, aliveSinceMs) <= CANCEL_MS) return undefined;
        const type = transaction?.command.type;
        return type === "place" || type === "modify"
          ? `a ${type} was sent in a pause of ${Math.round(elapsedMs() - sinceMs)} ms`
          : undefined;
      },
      tick() {
        const sinceMs = pausedSinceMs();
        if (sinceMs === undefined || signsSinceMs === undefined || !isBotAlive()) return undefined;
        const pausedMs = elapsedMs() - Math.max(sinceMs, signsSinceMs);
        const resting = oracle.restingQuote(sent.isLeaving);
        if (resting === undefined) return undefined;
        oracle.lasted("cancel after a pause", pausedMs);
        // While no connection can be made, one cancel tries and the others wait.
        return pausedMs <= CANCEL_MS ||
          elapsedMs() - Math.max(unreachableMs(), blockedMs(), adoptedMs) <= CANCEL_MS
          ? undefined
          : `${resting.orderId} rests without a cancel ${Math.round(pausedMs)} ms after the pause`;
      },
    };
  },
};

/** Whether the whole bot is to be paused from this input on; undefined when it does not say. */
function toldBy(input: Input): boolean | undefined {
  if (input.type === "operator" && (input.command === "pause" || input.command === "resume")) {
    return input.strategy === undefined ? input.command === "pause" : undefined;
  }
  if (input.type !== "restored") return undefined;
  for (const item of input.restored.carried) {
    if (item.type === "pause" && item.strategy === undefined) return item.isPaused;
  }
  return undefined;
}
