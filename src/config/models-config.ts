import { z } from "zod";
import { amount, share } from "../domain/setting.ts";
import { defaultCandles } from "../simulated/candle-fills.ts";
import { defaultFills, queueNames } from "../simulated/queue-models.ts";
import { key, replayed, simulated } from "./bot-key.ts";
import { delaySetting } from "./delay-setting.ts";

const fee = share({ min: -0.05, max: 0.1 });

/** The models of the simulated venue of paper and replay. */
export const modelsSchema = z.strictObject({
  fills: z
    .strictObject({
      queue: key(
        z.enum(queueNames).default(defaultFills.queue),
        simulated,
        "How far own orders move on in the queue when it shrinks without a trade: `risk-averse` not at all, `uniform`, `power` and `log` with that probability; `trade-through` fills only by trades beyond the price.",
      ),
      exponent: key(
        z.number().min(0.1).max(20).default(defaultFills.exponent),
        simulated,
        "Exponent of the queue `power`: the greater, the more of a decrease comes from the longer part of the queue.",
      ),
      partialFills: key(
        z.boolean().default(defaultFills.partialFills),
        simulated,
        "Whether a trade can fill a part of an order; otherwise it fills the whole order that it reaches.",
      ),
    })
    .prefault({}),
  candles: z
    .strictObject({
      volumeShare: key(
        share({ min: 0.0001, max: 1 }).default(defaultCandles.volumeShare),
        replayed,
        "Of a recording of candles: the share of a candle's volume that own orders can trade.",
      ),
      halfSpread: key(
        share({ max: 0.1 }).default(defaultCandles.halfSpread),
        replayed,
        "Of a recording of candles: what an order that takes pays beyond the candle's price, as a share of it.",
      ),
    })
    .prefault({}),
  fees: z
    .strictObject({
      maker: key(
        fee.optional(),
        simulated,
        "Maker fee of every market, instead of `fees.maker`; a rebate is negative.",
      ),
      taker: key(
        fee.optional(),
        simulated,
        "Taker fee of every market, instead of `fees.taker`; a rebate is negative.",
      ),
      tiers: z
        .array(
          z.strictObject({
            volume: key(
              amount({ zero: true }),
              simulated,
              "The tier counts from this volume of own fills on, in the market's quote token, in each market since the start.",
            ),
            maker: key(fee, simulated, "Maker fee of the tier."),
            taker: key(fee, simulated, "Taker fee of the tier."),
          }),
        )
        .max(32)
        .refine(
          (tiers) => new Set(tiers.map(({ volume }) => Number(volume))).size === tiers.length,
          "has two tiers with the same volume",
        )
        .default([]),
    })
    .prefault({}),
  latency: z
    .strictObject({
      entry: key(
        delaySetting({ allowsRecorded: false }).optional(),
        simulated,
        "Instead of `latency.entry`: `20ms`, `uniform(MIN, MAX)`, `normal(MEAN, DEVIATION)`, `lognormal(MEAN, DEVIATION)`, `exponential(MEAN)`, `exponential(MEAN, MIN)` or `trace(FILE)`.",
      ),
      response: key(
        delaySetting({ allowsRecorded: false }).optional(),
        simulated,
        "Instead of `latency.response`, in the same forms.",
      ),
      feed: key(
        delaySetting({ allowsRecorded: true }).optional(),
        simulated,
        "Instead of `latency.feed`, in the same forms, or `recorded(MIN)` for the recording's own times, the shortest delay being MIN.",
      ),
      seed: key(z.int().min(0).max(0xffff_ffff).default(1), simulated, "Of the random delays."),
    })
    .prefault({}),
});
