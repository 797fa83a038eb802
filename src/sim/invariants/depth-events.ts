import type { Invariant } from "../invariant.ts";
import { calmSinceMs, deadUntilMs } from "../troubles.ts";

/** About twice what two reads that correct the book, the wait for its events and a new subscription take. */
const LIMIT_MS = 15_000;

/** A depth channel that does not deliver is brought back, also while reads over REST keep the book fresh (docs/freshness.md). */
export const depthEvents: Invariant = {
  name: "depth-events",
  watch(world) {
    const { oracle, elapsedMs, isBotAlive, isStopping } = world;
    const { marketId } = oracle.market;
    /** Id of the newest event that the bot has been fed. */
    let finalId = 0;
    /** Since when the venue's book has had a change and the bot no event. */
    let behindSinceMs: number | undefined;
    return {
      entry({ batch }) {
        for (const input of batch.inputs) {
          if (input.type !== "depth" || input.event.marketId !== marketId) continue;
          finalId = Math.max(finalId, input.event.finalId);
          behindSinceMs = undefined;
        }
        return undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        if (oracle.exchange.book(marketId, 1).lastId > finalId) behindSinceMs ??= nowMs;
        if (behindSinceMs === undefined || !isBotAlive() || isStopping()) return undefined;
        const missingMs = nowMs - Math.max(behindSinceMs, calmSinceMs(world), deadUntilMs(world));
        oracle.lasted("depth events missing", Math.max(0, missingMs));
        if (missingMs <= LIMIT_MS) return undefined;
        behindSinceMs = nowMs;
        return `the depth channel has not shown a change of the book for ${Math.round(missingMs)} ms`;
      },
    };
  },
};
