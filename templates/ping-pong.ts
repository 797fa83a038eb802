import { amount, defineStrategy, noQuotes, setQuotes, share, z } from "touchline";

/** Buys below the mid, then sells above what it paid, then buys again. What is left of a partly filled bid keeps its place. */
export default defineStrategy({
  name: "my-strategy",
  summary: "One order at a time: a bid, and after it was filled an ask above its cost.",
  params: z.strictObject({
    /** Distance of each order from the mid, as a share of it. */
    spread: share({ min: 0.0001, max: 0.1 }).prefault("0.1%"),
    /** Value of each order, in quote token. */
    value: amount().prefault("100"),
  }),
  init: () => ({}),

  decide({ view, params }) {
    const { mid } = view.book;
    if (mid === undefined) return noQuotes("a side of the book is empty");
    const { base, averagePrice } = view.position;
    // An order follows the mid only when it is off by half its distance.
    const options = { tolerance: params.spread / 2, sizeTolerance: 0.1 };
    const bid = mid * (1 - params.spread);
    const begun = view.orders.filter(
      ({ side, executed, isLeaving }) => side === "BUY" && executed.gt(0) && !isLeaving,
    );
    // What is bought is sold for more than it cost with both fees, whatever the mid is.
    if (base.gte(view.minSize(mid)) && averagePrice !== undefined) {
      const least = averagePrice.toNumber() * (1 + view.makerFee);
      const price = Math.max(mid, least) * (1 + params.spread);
      const bids = begun.map(({ remaining }) => ({ price: bid, size: remaining, place: false }));
      return setQuotes({ bids, asks: [{ price, size: base }], ...options });
    }
    const size = params.value.div(mid).minus(base).clamp(view.minSize(mid), Infinity);
    return setQuotes({ bids: [{ price: bid, size }], ...options });
  },
});
