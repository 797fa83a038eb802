import { amount, defineStrategy, duration, noQuotes, setQuotes, share, z } from "touchline";

/** Holds a share of its money in base token. Beyond the band it trades until the share is right again, in clips. */
export default defineStrategy({
  name: "my-strategy",
  summary: "Holds a share of its value in base token, by quotes or takes, within a band.",
  params: z.strictObject({
    /** The value of the base token as a share of both balances, or of the strategy's `budget`. */
    share: share({ max: 1 }).prefault("50%"),
    /** How far off the share may be. */
    band: share({ min: 0.0001, max: 0.5 }).prefault("2%"),
    /** Whether it waits at the best price or trades at once. */
    by: z.enum(["quotes", "takes"]).default("quotes"),
    /** Value of the largest order, in quote token, and the time from one to the next. */
    clip: amount().prefault("100"),
    every: duration({ min: 50 }).prefault("1s"),
  }),
  init: () => ({ isTrading: false }),

  decide({ view, params: { share: wanted, band, by, clip, every }, state }) {
    const [{ mid }, base, quote] = [view.book, view.balance("base"), view.balance("quote")];
    if (mid === undefined || base === undefined || quote === undefined)
      return noQuotes("the mid or a balance is not known");
    const value = base.total.times(mid).plus(quote.total);
    const missing = value.times(wanted).div(mid).minus(base.total);
    state.isTrading ||= missing.abs().times(mid).gt(value.times(band));
    // Less than the smallest order stays.
    if (missing.abs().lt(view.minSize(mid))) state.isTrading = false;
    if (!state.isTrading) return noQuotes("the share is within its band");
    const most = clip.div(mid);
    if (by === "takes") {
      const position = view.position.base.plus(missing);
      return setQuotes({ workTo: { position, clip: most, every } });
    }
    const best = view.book.best(missing.gt(0) ? "BUY" : "SELL");
    const quotes = [{ price: best?.price ?? mid, size: missing.abs().clamp(0, most) }];
    const wake = { wakeAtMs: view.nowMs + every, wakeOn: "orders", sizeTolerance: 0.1 } as const;
    return setQuotes(missing.gt(0) ? { bids: quotes, ...wake } : { asks: quotes, ...wake });
  },
});
