import { fixedToNumber, type Fixed } from "../../domain/fixed.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Input } from "../../kernel/input.ts";
import type { Invariant } from "../invariant.ts";
import { differenceOf } from "../read-book.ts";

/** The inputs that may change the bot's book. */
const OF_BOOKS: ReadonlySet<Input["type"]> = new Set(["depth", "book", "stream", "resubscribed"]);

/**
 * Each decision reads a book that follows by §6.3 from what was delivered, and that book equals the venue's at the same update id. No order is
 * placed when no book follows.
 */
export const sameBook: Invariant = {
  name: "same-book",
  watch({ oracle, booksRead }) {
    const { marketId } = oracle.market;
    /** The venue's book that was found to equal the bot's, until an input may change the bot's. */
    let same: { readonly exchange: Exchange; readonly lastId: number } | undefined;
    /** Why the oldest book in `booksRead` is none of the step so far that may have read it; several steps may have the same time. */
    let wrong: string | undefined;
    /** By price: an amount that was last seen there, and the double next to it. Most levels stay as they are between two comparisons. */
    const amounts = new Map<number, { readonly exact: Fixed; readonly rounded: number }>();
    const rounded = (price: number, exact: Fixed): number => {
      const known = amounts.get(price);
      if (known?.exact === exact) return known.rounded;
      const amount = { exact, rounded: fixedToNumber(exact) };
      amounts.set(price, amount);
      return amount.rounded;
    };
    /** Judges the books that were read in earlier steps and the one of this step. */
    const readWrong = (nowMs: number): string | undefined => {
      const reads = booksRead();
      const isOver = wrong !== undefined && reads[0]?.nowMs !== nowMs;
      const found = isOver ? wrong : undefined;
      if (isOver) {
        reads.shift();
        wrong = undefined;
      }
      const [read] = reads;
      // Observers see a step after the strategy has read in it: it may have read in the next ones already.
      if (read?.nowMs !== nowMs) return found;
      const { live } = oracle.books;
      const differences = live.map((book) => differenceOf(read, book, oracle.ownPrices));
      const held = live.filter((_, at) => differences[at] === undefined);
      if (held.length === 0) {
        wrong = `a decision read a book that was not delivered: ${differences[0] ?? "none is in sync"}`;
        return found;
      }
      oracle.reach(held.length > 1 ? "book read, of several possible" : "book read");
      oracle.books.keep(held);
      reads.shift();
      wrong = undefined;
      return found;
    };
    const newsWrong = (): string | undefined => {
      const { bookNews, books } = oracle;
      if (bookNews?.isLostForNothing === true) {
        return "the bot gave up a book although no event was missing and no comparison failed";
      }
      return bookNews?.isLive === true && books.newest === undefined
        ? "the bot says that its book is in sync, but none follows from what was delivered"
        : undefined;
    };
    const differsFromVenue = (): string | undefined => {
      const book = oracle.books.newest;
      const { exchange } = oracle;
      const idAtVenue = exchange.book(marketId, 0).lastId;
      if (book?.lastId !== idAtVenue) return undefined;
      if (same?.exchange === exchange && same.lastId === idAtVenue) return undefined;
      const real = exchange.book(marketId, 10_000);
      oracle.reach("book compared");
      for (const [side, levels] of [
        ["BUY", real.bids],
        ["SELL", real.asks],
      ] as const) {
        const held = book.levels(side);
        const isSame =
          held.size === levels.length &&
          levels.every(({ price, quantity }) => held.get(price) === rounded(price, quantity));
        if (!isSame) return `${side} differs at id ${idAtVenue}`;
      }
      same = { exchange, lastId: idAtVenue };
      return undefined;
    };
    return {
      runStarts() {
        same = undefined;
        wrong = undefined;
      },
      entry({ batch, effects }) {
        if (batch.inputs.some(({ type }) => OF_BOOKS.has(type))) same = undefined;
        const isPlaced = effects.some(({ type }) => type === "place" || type === "stop");
        const isBlind = isPlaced && oracle.books.newest === undefined;
        return (
          readWrong(batch.nowMs) ??
          newsWrong() ??
          (isBlind ? "placed without a book" : differsFromVenue())
        );
      },
      recovered: () => (oracle.books.newest === undefined ? "the book is not in sync" : undefined),
    };
  },
};
