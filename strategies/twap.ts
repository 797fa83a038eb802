import { amount, Decimal, defineStrategy, duration, price, setQuotes, share, z } from "touchline";

const params = z.strictObject({
  side: z.enum(["BUY", "SELL"]).describe("Whether it buys or sells."),
  size: amount().describe("How much in all, base token."),
  duration: duration({ min: 1_000 }).describe("How long the whole takes."),
  clips: z
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe("Into how many equal orders it is divided."),
  limit: price()
    .optional()
    .describe("Nothing is traded at a worse price than this.")
    .meta({ limit: true }),
  maxSlippage: share({ max: 0.5 })
    .prefault("0.2%")
    .describe("How far beyond the opposite touch an order may trade, as a share.")
    .meta({ limit: true }),
});

/** A schedule, kept over restarts: `what` tells it from those of other parameters. `from` is the position at its begin. */
interface Schedule {
  readonly what: string;
  readonly startMs: number;
  readonly from: string;
}

/** The position that a schedule has reached: one clip more at its begin and after each interval. */
export function scheduled(
  from: Decimal,
  change: Decimal,
  { passedMs, durationMs, clips }: Readonly<Record<"passedMs" | "durationMs" | "clips", number>>,
): Decimal {
  const due = Math.min(clips, Math.floor((passedMs * clips) / durationMs) + 1);
  return from.plus(change.times(due).div(clips)).toDecimalPlaces(18);
}

/** Trades a size over a time in equal clips. */
export default defineStrategy({
  name: "twap",
  summary: "Buys or sells a size over a time in equal orders that trade at once.",
  params,
  init: (): { schedule: Schedule | undefined } => ({ schedule: undefined }),
  state: {
    version: 1,
    save: ({ schedule }) => schedule ?? null,
    load: (data) => ({ schedule: (data as Schedule | null) ?? undefined }),
  },
  decide({ view, params: settings, state }) {
    const { side, size, duration: durationMs, clips, limit, maxSlippage } = settings;
    const what = `${side} ${size.toString()} in ${durationMs}`;
    if (state.schedule?.what !== what) {
      const from = view.position.base.toString();
      state.schedule = { what, startMs: view.nowMs, from };
    }
    const { startMs, from } = state.schedule;
    const passedMs = Math.max(0, view.nowMs - startMs);
    const change = size.times(side === "BUY" ? 1 : -1);
    const target = scheduled(new Decimal(from), change, { passedMs, durationMs, clips });
    // An order for earlier parameters may have traded since.
    const position = Decimal[side === "BUY" ? "max" : "min"](target, view.position.base);
    const intervalMs = durationMs / clips;
    const nextMs = startMs + (Math.floor(passedMs / intervalMs) + 1) * intervalMs;
    return setQuotes({
      workTo: {
        position,
        clip: size.div(clips).toDecimalPlaces(18),
        // What was not offered is caught up with, at most twice as fast.
        every: intervalMs / 2,
        maxSlippage,
        ...(limit === undefined ? {} : { limit }),
      },
      ...(passedMs < durationMs ? { wakeAtMs: nextMs } : {}),
      wakeOn: passedMs < durationMs ? "time" : "orders",
    });
  },
});
