import type { Invariant } from "../invariant.ts";
import { StaleQuotes } from "../stale-quotes.ts";

/** The limit of `stale-book` (10 s), and the time to notice that a channel has died without the others. */
const STALE_MS = 15_000;

/**
 * Nothing is placed while the venue's book has had a change for long that the bot has not been fed, and quotes that rest are
 * canceled.
 */
export const freshBook: Invariant = {
  name: "fresh-book",
  watch(world) {
    const { oracle, elapsedMs, isBotAlive, startingSinceMs, blockedSinceMs } = world;
    const { marketId } = oracle.market;
    const stale = new StaleQuotes(world);
    /** When each state of the venue's book was first seen, oldest first; none that the bot has been fed but the newest. */
    let states: { readonly lastId: number; readonly atMs: number }[] = [];
    let blindSinceMs: number | undefined;
    const behindSinceMs = (): number | undefined => {
      const fedId = oracle.books.newest?.lastId;
      blindSinceMs = fedId === undefined ? (blindSinceMs ?? elapsedMs()) : undefined;
      if (fedId === undefined) return blindSinceMs;
      const firstUnseen = states.findIndex(({ lastId }) => lastId > fedId);
      states = states.slice(firstUnseen < 0 ? -1 : firstUnseen);
      return firstUnseen < 0 ? undefined : states[0]?.atMs;
    };
    return {
      runStarts() {
        blindSinceMs = undefined;
        states = [];
        stale.runStarts();
      },
      tick() {
        const { lastId } = oracle.exchange.book(marketId, 1);
        if (states.at(-1)?.lastId !== lastId) states.push({ lastId, atMs: elapsedMs() });
        // A process that starts has no book.
        const sinceMs = isBotAlive() ? behindSinceMs() : startingSinceMs();
        return sinceMs === undefined ? undefined : stale.tick(sinceMs, "the book has been behind");
      },
      entry({ effects, sendDelayMs = 0 }) {
        stale.entry(effects);
        if (oracle.books.newest === undefined) return undefined;
        const sinceMs = behindSinceMs();
        // A step that waited for the disk was made before that. One whose call has not returned was made when that began.
        const madeMs = blockedSinceMs() ?? elapsedMs() - sendDelayMs;
        const behindMs = sinceMs === undefined ? 0 : madeMs - sinceMs;
        return behindMs > STALE_MS &&
          effects.some(({ type }) => type === "place" || type === "modify")
          ? `placed by a book that had been behind for ${Math.round(behindMs)} ms`
          : undefined;
      },
    };
  },
};
