import { fixedText } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";

/** The local book equals the venue's at the same update id, and no order is placed unless the book is in sync. */
export const sameBook: Invariant = {
  name: "same-book",
  watch({ oracle }) {
    const { marketId } = oracle.market;
    /** Of the book that the bot had after the step before; undefined when it had none. */
    let lastId: number | undefined;
    return {
      runStarts() {
        lastId = undefined;
      },
      entry({ batch, effects }) {
        const { book } = oracle;
        const { live } = book;
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
        const real = oracle.exchange.book(marketId, 10_000);
        if (book.lastId !== real.lastId) return undefined;
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
                held[2 * at] === price && held[2 * at + 1] === Number(fixedText(quantity)),
            );
          if (!isSame) return `${side} differs at id ${book.lastId}`;
        }
        return undefined;
      },
      recovered: () => (oracle.book.live === undefined ? "the book is not in sync" : undefined),
    };
  },
};
