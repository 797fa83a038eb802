import type { Invariant } from "../invariant.ts";
import { calmSinceMs } from "../troubles.ts";

/** Half of the limit of `stale-book` (10 s), and the time for a read. */
const READ_MS = 8_000;

/**
 * A book that no channel shows is read over REST before it is too old to quote by, also while the market's channels are dead (docs/freshness.md).
 */
export const silentBook: Invariant = {
  name: "silent-book",
  watch(world) {
    const { oracle, elapsedMs, isBotAlive, isStopping } = world;
    const { marketId } = oracle.market;
    let shownMs = 0;
    return {
      entry({ batch }) {
        for (const input of batch.inputs) {
          const of =
            input.type === "depth"
              ? input.event.marketId
              : input.type === "book"
                ? input.snapshot.marketId
                : undefined;
          if (of === marketId) shownMs = elapsedMs();
        }
        return undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        if (!isBotAlive() || isStopping()) return undefined;
        const silentMs = nowMs - Math.max(shownMs, calmSinceMs(world));
        oracle.lasted("silent book", Math.max(0, silentMs));
        if (silentMs <= READ_MS) return undefined;
        shownMs = nowMs;
        return `nothing has shown the book for ${Math.round(silentMs)} ms`;
      },
    };
  },
};
