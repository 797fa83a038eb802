import { amount, defineStrategy, duration, noQuotes, setQuotes, z } from "touchline";

/** Buys for `value` every `every` with a bid at the best price, up to `total`: dollar-cost averaging without taker fees. */
export default defineStrategy({
  name: "my-strategy",
  summary: "Buys a fixed value at fixed times with bids at the best price, up to a total.",
  params: z.strictObject({
    /** Bought each time, and in all, in quote token. */
    value: amount().prefault("100"),
    total: amount().prefault("1000"),
    every: duration({ min: 1_000 }).prefault("1h"),
    /** How often a waiting bid follows the best price. */
    refresh: duration({ min: 50 }).prefault("5s"),
  }),
  init: () => ({ startMs: 0 }),
  // A restart does not begin again.
  state: {
    version: 1,
    save: ({ startMs }) => startMs,
    load: (data) => ({ startMs: z.number().parse(data) }),
  },

  decide({ view, params, state }) {
    const best = view.book.best("BUY")?.price;
    if (best === undefined) return noQuotes("there are no bids to join");
    if (state.startMs === 0) state.startMs = view.nowMs;
    // What should have been spent by now, less what was: a purchase that was missed is made up for.
    const times = 1 + Math.floor((view.nowMs - state.startMs) / params.every);
    const { base, averagePrice } = view.position;
    const spent = base.times(averagePrice ?? 0);
    const left = params.value.times(times).clamp(0, params.total).minus(spent);
    const size = left.div(best);
    const wake = { wakeAtMs: view.nowMs + params.refresh, wakeOn: "orders" } as const;
    // A small rest waits for the next time.
    const isSmall = left.lt(params.value.times(0.05)) || size.lt(view.minSize(best));
    if (isSmall) return noQuotes("nothing to buy yet", wake);
    return setQuotes({ bids: [{ price: best, size }], sizeTolerance: 0.1, ...wake });
  },
});
