import { amount, Decimal, defineStrategy, duration, price, setQuotes, share, z } from "touchline";

const params = z.strictObject({
  side: z.enum(["BUY", "SELL"]).describe("Whether it buys or sells."),
  size: amount().describe("How much in all, base token."),
  share: share({ min: 0.0001, max: 1 }).describe(
    "How much it trades of what others trade with each other, as a share.",
  ),
  clip: amount().describe("Largest order, base token.").meta({ limit: true }),
  every: duration({ min: 50 }).prefault("1s").describe("Time between two orders."),
  limit: price()
    .optional()
    .describe("Nothing is traded at a worse price than this.")
    .meta({ limit: true }),
  maxSlippage: share({ max: 0.5 })
    .prefault("0.2%")
    .describe("How far beyond the opposite touch an order may trade, as a share.")
    .meta({ limit: true }),
});

/** What is kept over restarts: `what` tells it from that of other parameters, `from` is the position at its begin, `due` what may be traded since then. */
interface Progress {
  readonly what: string;
  readonly from: string;
  due: string;
}

/** Trades a share of what others trade. */
export default defineStrategy({
  name: "pov",
  summary: "Buys or sells a size as a share of what others trade.",
  params,
  init: (): { progress: Progress | undefined } => ({ progress: undefined }),
  state: {
    version: 1,
    save: ({ progress }) => progress ?? null,
    load: (data) => ({ progress: (data as Progress | null) ?? undefined }),
  },
  decide({ view, params: settings, state }) {
    const { side, size, share: part, clip, every, limit, maxSlippage } = settings;
    const what = `${side} ${size.toString()}`;
    if (state.progress?.what !== what) {
      state.progress = { what, from: view.position.base.toString(), due: "0" };
    }
    const { progress } = state;
    const others = view.trades.filter(({ isOwn }) => !isOwn).map(({ quantity }) => quantity);
    const due = Decimal.min(
      size,
      Decimal.sum(0, ...others)
        .times(part)
        .plus(progress.due),
    );
    progress.due = due.toDecimalPlaces(18).toFixed();
    // An order for earlier parameters may have traded since.
    const target = due.times(side === "BUY" ? 1 : -1).plus(progress.from);
    const position = Decimal[side === "BUY" ? "max" : "min"](target, view.position.base);
    return setQuotes({
      workTo: { position, clip, every, maxSlippage, ...(limit === undefined ? {} : { limit }) },
    });
  },
});
