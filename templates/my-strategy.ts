import { amount, defineStrategy, duration, noQuotes, setQuotes, share, z } from "touchline";

/**
 * A strategy returns the quotes that it wants in the book. It never sends or cancels orders itself: Touchline compares the quotes
 * with the resting orders and sends the fewest commands that are needed.
 *
 * This strategy places one quote on each side of the mid. It stops buying when it is too long, and selling when it is too short.
 */
export default defineStrategy({
  name: "my-strategy",
  summary: "One quote on each side of the mid, up to a limit of inventory.",

  // The keys of `params:` in the YAML. Keys with a default may be left out.
  params: z.strictObject({
    /** Distance of each quote from the mid, as a share of the mid. */
    spread: share({ min: 0.0001, max: 0.1 }).prefault("0.05%"),
    /** Value of each quote, in quote token. */
    value: amount().prefault("100"),
    /** Inventory at which the side that adds to it stops quoting, in quote token. */
    maxValue: amount().prefault("500"),
    /** How often the quotes are updated. */
    refresh: duration({ min: 50 }).prefault("1s"),
  }),

  // The strategy's memory: plain data that `decide` may change.
  init: () => ({}),

  // Called with new data of the market or of your orders, as `wakeOn` says, and at `wakeAtMs`.
  decide({ view, params }) {
    // The book without your own orders. It is always in sync.
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");

    // Sizes are exact amounts of base token. Prices are numbers, which Touchline rounds to the venue's grid.
    const size = params.value.div(mid).clamp(view.minSize(mid), Infinity);
    const held = view.position.base.times(mid); // bought minus sold, earlier runs included
    const isLong = held.gte(params.maxValue);
    const isShort = held.lte(params.maxValue.neg());

    return setQuotes({
      bids: isLong ? [] : [{ price: mid * (1 - params.spread), size }],
      asks: isShort ? [] : [{ price: mid * (1 + params.spread), size }],
      // An order stays in place while its price and size are within these shares of the target.
      tolerance: params.spread / 5,
      sizeTolerance: 0.1,
      // Why a side is not quoted, shown on the dashboard and in the journal.
      reason: {
        ...(isLong ? { BUY: "holds enough" } : {}),
        ...(isShort ? { SELL: "sold enough" } : {}),
      },
      // Until then only own fills and orders call `decide`: an order that stays keeps its place in the queue.
      wakeAtMs: view.nowMs + params.refresh,
      wakeOn: "orders",
    });
  },
});
