import { fixedToNumber, type Fixed } from "../../domain/fixed.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Input } from "../../kernel/input.ts";
import type { Invariant } from "../invariant.ts";

/** The inputs that may change the bot's book. */
const OF_BOOKS: ReadonlySet<Input["type"]> = new Set(["depth", "book", "depthAudit", "stream"]);

/** The local book equals the venue's at the same update id, and no order is placed unless the book is in sync. */
export const sameBook: Invariant = {
  name: "same-book",
  watch({ oracle }) {
    const { marketId } = oracle.market;
    /** Of the book that the bot had after the step before; undefined when it had none. */
    let lastId: number | undefined;
    /** The venue's book that was found to equal the bot's, until an input may change the bot's. */
    let same: { readonly exchange: Exchange; readonly lastId: number } | undefined;
    /** By price: an amount that was last seen there, and the double next to it. Most levels stay as they are between two comparisons. */
    const amounts = new Map<number, { readonly exact: Fixed; readonly rounded: number }>();
    const rounded = (price: number, exact: Fixed): number => {
      const known = amounts.get(price);
      if (known?.exact === exact) return known.rounded;
      const amount = { exact, rounded: fixedToNumber(exact) };
      amounts.set(price, amount);
      return amount.rounded;
    };
    return {
      runStarts() {
        lastId = undefined;
        same = undefined;
      },
      entry({ batch, effects }) {
        const { book } = oracle;
        const { live } = book;
        if (batch.inputs.some(({ type }) => OF_BOOKS.has(type))) same = undefined;
        const before = lastId;
        lastId = live === undefined ? undefined : book.lastId;
        const isNew = batch.inputs.some(({ type }) => type === "stream" || type === "resubscribed");
        if (before !== undefined && lastId !== undefined && lastId < before && !isNew) {
          return `the book went back from id ${before} to ${lastId}`;
        }
        if (live === undefined) {
          return effects.some(({ type }) => type === "place" || type === "stop")
            ? "placed without a book"
            : undefined;
        }
        const { exchange } = oracle;
        const idAtVenue = exchange.book(marketId, 0).lastId;
        if (book.lastId !== idAtVenue) return undefined;
        if (same?.exchange === exchange && same.lastId === idAtVenue) return undefined;
        const real = exchange.book(marketId, 10_000);
        oracle.reach("book compared");
        for (const [side, levels] of [
          ["BUY", real.bids],
          ["SELL", real.asks],
        ] as const) {
          const held = live.side(side).top(10_000);
          const isSame =
            held.length === 2 * levels.length &&
            levels.every(
              ({ price, quantity }, at) =>
                held[2 * at] === price && held[2 * at + 1] === rounded(price, quantity),
            );
          if (!isSame) return `${side} differs at id ${book.lastId}`;
        }
        same = { exchange, lastId: idAtVenue };
        return undefined;
      },
      recovered: () => (oracle.book.live === undefined ? "the book is not in sync" : undefined),
    };
  },
};
