import type { Invariant } from "../invariant.ts";

/** The limit of `stale-book` (10 s), and the time to notice that a channel has died without the others. */
const STALE_MS = 15_000;

/** Nothing is placed while the venue's book has had a change for long that the bot has not been fed. */
export const freshBook: Invariant = {
  name: "fresh-book",
  watch({ oracle, elapsedMs }) {
    const { marketId } = oracle.market;
    /** When each state of the venue's book was first seen, oldest first. */
    let states: { readonly lastId: number; readonly atMs: number }[] = [];
    return {
      venueDataLost() {
        states = [];
      },
      tick() {
        const { lastId } = oracle.exchange.book(marketId, 1);
        if (states.at(-1)?.lastId !== lastId) states.push({ lastId, atMs: elapsedMs() });
        return undefined;
      },
      entry({ effects }) {
        const { book } = oracle;
        if (book.live === undefined) return undefined;
        const firstUnseen = states.findIndex(({ lastId }) => lastId > book.lastId);
        if (firstUnseen < 0) {
          states = states.slice(-1);
          return undefined;
        }
        if (firstUnseen > 0) states = states.slice(firstUnseen);
        const ageMs = elapsedMs() - (states[0]?.atMs ?? Number.POSITIVE_INFINITY);
        if (
          ageMs <= STALE_MS ||
          !effects.some(({ type }) => type === "place" || type === "modify")
        ) {
          return undefined;
        }
        return `placed by a book that had been behind for ${Math.round(ageMs)} ms`;
      },
    };
  },
};
