import type { Invariant } from "../invariant.ts";
import { DEAD, quotesRightMs } from "../troubles.ts";

/** Two reads that correct the book, each of which waits for the events first, and a new subscription. */
const LIMIT_MS = 15_000;

/** A depth channel that does not deliver is brought back, also while reads over REST keep the book fresh (docs/freshness.md). */
export const depthEvents: Invariant = {
  name: "depth-events",
  watch(world) {
    const { oracle, episodes, elapsedMs, isBotAlive, isStopping } = world;
    const { marketId } = oracle.market;
    /** Of the newest event that the bot has been fed, and since when the venue's book has had a change after it. */
    let finalId = 0;
    let behindMs: number | undefined;
    return {
      entry({ batch }) {
        for (const input of batch.inputs) {
          if (input.type !== "depth" || input.event.marketId !== marketId) continue;
          finalId = Math.max(finalId, input.event.finalId);
          behindMs = undefined;
        }
        return undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        if (oracle.exchange.book(marketId, 1).lastId > finalId) behindMs ??= nowMs;
        if (behindMs === undefined || !isBotAlive() || isStopping()) return undefined;
        let canMs = Math.max(quotesRightMs(world), world.limitedUntilMs(), world.blockedMs());
        for (const { name, toMs = nowMs } of episodes())
          if (DEAD.includes(name)) canMs = Math.max(canMs, toMs);
        const missingMs = nowMs - Math.max(behindMs, canMs);
        oracle.lasted("depth events missing", Math.max(0, missingMs));
        if (missingMs <= LIMIT_MS) return undefined;
        behindMs = nowMs;
        return `the depth channel has not shown a change of the book for ${Math.round(missingMs)} ms`;
      },
    };
  },
};
