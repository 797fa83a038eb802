import { unixMs } from "../../domain/time.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/** The limit of `stale-book` (10 s), and the time to notice that a channel has died without the others. */
const STALE_MS = 15_000;
/** A book may lag for this long at any time. */
const NOTED_MS = 1_000;
/** After this, quotes have been pulled: there was time to send their cancels however many requests hang. */
const PULLED_MS = 22_000;
/** The same after a time in which no request could reach the venue: one cancel tries, its time-out is 5 s, and the others follow. */
const RECONNECTED_MS = 6_000;

/**
 * Nothing is placed while the venue's book has had a change for long that the bot has not been fed, and quotes that rest are
 * canceled.
 */
export const freshBook: Invariant = {
  name: "fresh-book",
  watch({ scenario: { session }, oracle, sent, elapsedMs, venueNowMs, isBotAlive, ...world }) {
    const { startingSinceMs, unreachableMs, blockedMs, blockedSinceMs, isInJournal } = world;
    const { marketId } = oracle.market;
    /** When a process that starts last had no session that the venue accepts: nothing can cancel then. */
    let unsignedMs = Number.NEGATIVE_INFINITY;
    const hasSession = (): boolean =>
      session === undefined ||
      oracle.exchange.sessions(oracle.owner, unixMs(venueNowMs())).some(({ applied }) => applied);
    /** When each state of the venue's book was first seen, oldest first; none that the bot has been fed but the newest. */
    let states: { readonly lastId: number; readonly atMs: number }[] = [];
    let blindSinceMs: number | undefined;
    /** Whether the journal has an order, by id. A process that starts knows no others; a bot that runs adopts those that a power cut removed. */
    const journaled = new Map<OrderId, boolean>();
    const isKnown = (orderId: OrderId): boolean => {
      if (isBotAlive()) return true;
      const known = journaled.get(orderId) ?? isInJournal(orderId);
      journaled.set(orderId, known);
      return known;
    };
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
        journaled.clear();
      },
      tick() {
        const { lastId } = oracle.exchange.book(marketId, 1);
        if (states.at(-1)?.lastId !== lastId) states.push({ lastId, atMs: elapsedMs() });
        // A process that starts has no book.
        const sinceMs = isBotAlive() ? behindSinceMs() : startingSinceMs();
        if (sinceMs === undefined) return undefined;
        const behindMs = elapsedMs() - sinceMs;
        // Shorter times are no concern of anybody.
        if (behindMs <= NOTED_MS) return undefined;
        const resting = oracle.restingQuote(sent.isLeaving, isKnown);
        if (resting === undefined) return undefined;
        if (!isBotAlive() && !hasSession()) unsignedMs = elapsedMs();
        oracle.lasted("stale quote", behindMs);
        return behindMs <= PULLED_MS ||
          elapsedMs() - Math.max(unreachableMs(), blockedMs(), unsignedMs) <= RECONNECTED_MS
          ? undefined
          : `${resting.orderId} rests although the book has been behind for ${Math.round(behindMs)} ms`;
      },
      entry({ effects, sendDelayMs = 0 }) {
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
