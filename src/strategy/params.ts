import { z } from "zod";
import { baseAmount } from "../domain/base-amount.ts";
import { duration, price, share } from "../domain/setting.ts";

/**
 * Parameters that strategies share, in groups to spread into a schema:
 * `z.strictObject({ ...quoteParams, ...inventoryParams, mine: share() })`.
 */

/** When a strategy reconsiders its quotes and which orders stay. */
export const quoteParams = {
  refresh: duration({ min: 50 })
    .prefault("2s")
    .describe("How often all quotes are reconsidered; those in danger are at once."),
  tolerance: share({ max: 0.5 })
    .optional()
    .describe(
      "How far a resting quote may be off its target at a refresh before it is replaced, as a share of the mid; default: a quarter of the least spread or profit that the strategy wants, or of the step between its levels if that is smaller.",
    ),
  requote: z
    .strictObject({
      nearer: share({ max: 0.5 })
        .optional()
        .describe(
          "A quote this much more dangerous than its target is decided anew at once, as a share of the mid; default: `tolerance`.",
        ),
      farther: share({ max: 1 })
        .optional()
        .describe(
          "A quote this much too far from the market does not wait for the refresh either; default: four times the default of `tolerance`.",
        ),
      minInterval: duration()
        .optional()
        .describe(
          "Time between two decisions for quotes that are only too far away; default: until the venue has acknowledged the last orders.",
        ),
    })
    .prefault({})
    .describe("When quotes are decided anew between two refreshes."),
  sizeTolerance: share({ max: 10 })
    .prefault("10%")
    .describe(
      "How far the remaining size of a quote may be off its target before it is replaced, or filled up by a second order when it was partly filled; a share of the target.",
    ),
  minOrderLifetime: duration()
    .prefault("0ms")
    .describe("A quote younger than this stays even when it is off its target."),
  maxOrderAge: duration({ min: 1_000 })
    .optional()
    .describe("A quote as old as this is replaced even when it fits; default: never."),
  coolDown: duration()
    .prefault("0ms")
    .describe(
      "After an order was filled whole, nothing new is placed on its side for this long; resting orders that fit stay.",
    ),
};

/** Orders that stay after the other half of their pair was filled; see `followPairs`. */
export const hangingParams = {
  hangingOrders: z
    .boolean()
    .default(false)
    .describe(
      "When one quote of a pair (the bid and the ask of a level) is completely filled, the other stays where it is, in addition to the ladder, unless it would trade the position back below its cost.",
    ),
  hangingCancel: share({ min: 0.0001, max: 1 })
    .prefault("2%")
    .describe("A hanging order farther than this from the fair price is canceled."),
  hangingMax: z
    .int()
    .min(1)
    .max(50)
    .default(10)
    .describe("At most this many hanging orders; the oldest are canceled first.")
    .meta({ limit: true }),
};

/** The target inventory and how quotes lead back to it; see `inventoryOf`. */
export const inventoryParams = {
  inventory: z
    .enum(["position", "balance"])
    .default("position")
    .describe(
      "What target and range measure: the strategy's own position (its fills, over restarts), or the account's balance, which deposits and other programs move; with a `budget`, that and its fills.",
    ),
  inventoryTargetBase: baseAmount({ zero: true })
    .optional()
    .describe("Base token that should be held; default with `inventory: position`: 0."),
  inventoryTarget: share({ max: 1 })
    .optional()
    .describe(
      "Only with `inventory: balance`: share of the account's value in this market that should be base; default 50%.",
    ),
  inventoryRange: baseAmount()
    .optional()
    .describe(
      "Deviation from the target, in base token, at which skews are full; default: the sum of all quotes of both sides.",
    ),
  sizeSkew: share({ max: 1 })
    .prefault("0%")
    .describe(
      "At full deviation, how much smaller the quotes become that lead away from the target, and how much larger the others.",
    ),
  priceSkew: share({ max: 0.5 })
    .prefault("0%")
    .describe(
      "How far both sides move at full deviation to bring the inventory back, as a share of the mid.",
    ),
  rebalanceSpread: share({ max: 0.5 })
    .optional()
    .describe(
      "Spread of the side that leads back to the target at full deviation, if nearer than its own; it comes nearer with the deviation.",
    ),
};

/** Prices at which nothing is quoted. */
export const limitParams = {
  minEdge: share({ max: 0.5 })
    .optional()
    .describe(
      "Least earning of each quote against the fair price after the maker fee, as a share of the mid; a nearer ladder moves out, and a resting order that earns less is canceled.",
    ),
  minPrice: price().optional().describe("Nothing is sold below this price."),
  maxPrice: price().optional().describe("Nothing is bought above this price."),
  movingBand: share({ min: 0.0001, max: 1 })
    .optional()
    .describe(
      "Nothing is bought this much above, or sold this much below, the fair price at the start of the period.",
    ),
  movingBandPeriod: duration({ min: 1_000 })
    .prefault("1m")
    .describe("How often the moving band is placed around the fair price anew."),
};

/** The price that quotes are placed around; see `followFairPrice`. */
export const fairParams = {
  priceSource: z
    .enum(["mid", "weightedMid", "lastTrade"])
    .default("mid")
    .describe(
      "The fair price around which quotes are placed. `weightedMid`: nearer to the side with less quantity; `lastTrade`: within the touch, and the mid before the first trade of others.",
    ),
  depth: baseAmount({ zero: true })
    .optional()
    .describe(
      "Base token at the front of each side over which its price is averaged, so that tiny orders move nothing; default: the first quote's size.",
    ),
  fairPeriod: duration({ min: 100 })
    .prefault("10s")
    .describe(
      "How long the book alone, without trades of others, takes to draw quotes nearer, and a side's price away from a best price that stays; other moves that make quotes dangerous are followed at once.",
    ),
  maxDeviation: share({ min: 0.0001, max: 2 })
    .optional()
    .describe(
      "Nothing is quoted while the book's price is farther than this from its average over `fairPeriod` and from recent trades; default: as that of `maxSpread`.",
    ),
  maxSpread: share({ min: 0.0001, max: 2 })
    .optional()
    .describe(
      "Nothing is quoted when the market's own spread is above this share of the mid; default: 5 times the first spreads together, or 5 times the usual spread of the market if that is wider. After a start this counts up to 5%, and more as it lasts.",
    ),
};
