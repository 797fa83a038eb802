import {
  amount,
  Decimal,
  defineStrategy,
  duration,
  keepQuotes,
  noQuotes,
  setQuotes,
  share,
  z,
} from "touchline";

/**
 * A strategy says which quotes it wants to have in the book. It never sends, cancels or waits: Touchline compares them with
 * the resting orders and sends the fewest commands that lead there.
 *
 * This one has one quote on each side of the mid, and stops buying (or selling) when it holds (or owes) too much.
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
    /** Inventory that stops the side that would add to it, in quote token. */
    maxValue: amount().prefault("500"),
    /** How often the quotes are reconsidered. */
    refresh: duration({ min: 50 }).prefault("1s"),
  }),

  // The strategy's memory: plain data that `decide` may change.
  init: () => ({ nextMs: 0 }),

  // Called whenever something happened in the market or to an order of yours, and at `wakeAtMs`.
  decide({ view, params, state }) {
    // The book without your own orders. It is always in sync.
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");

    // Not every tick needs a new price: an order that stays keeps its place in the queue.
    if (view.nowMs < state.nextMs) return keepQuotes({ wakeAtMs: state.nextMs });
    state.nextMs = view.nowMs + params.refresh;

    // Sizes are in base token and exact; prices are numbers, rounded to the venue's grid for you.
    const size = Decimal.max(params.value.div(mid), view.minSize(mid));
    const held = view.position.base.times(mid); // bought less sold since the start
    const isLong = held.gte(params.maxValue);
    const isShort = held.lte(params.maxValue.neg());

    return setQuotes({
      bids: isLong ? [] : [{ price: mid * (1 - params.spread), size }],
      asks: isShort ? [] : [{ price: mid * (1 + params.spread), size }],
      // A quote that is off its target by less than this stays where it is.
      tolerance: params.spread / 5,
      sizeTolerance: 0.1,
      // Shown on the page and in the journal.
      reason: {
        ...(isLong ? { BUY: "holds enough" } : {}),
        ...(isShort ? { SELL: "sold enough" } : {}),
      },
      wakeAtMs: state.nextMs,
    });
  },
});
