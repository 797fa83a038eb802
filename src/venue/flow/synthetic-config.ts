import { z } from "zod";
import { marketIdText } from "../../spec/fields.ts";

/** Options of the synthetic market; `flow: synthetic` takes all defaults. */
export const syntheticFlowSchema = z.strictObject({
  /** The same seed and the same times give the same market. */
  seed: z.int().min(0).default(1),
  /** Starting price of each market; 100 for markets that are not listed. */
  prices: z.record(marketIdText, z.number().positive().max(1e6)).default({}),
  /** Levels per side that makers maintain. */
  levels: z.int().min(1).max(50).default(12),
  /** Distance of the makers' best quote from the reference price, and of their levels from each other, as a share of the price. */
  halfSpread: z.number().positive().max(0.1).default(0.0003),
  /** Quote token resting at the best level of each side; each further level has 15 % less. */
  topNotional: z.number().positive().default(5000),
  /** Standard deviation of the reference price's change over one second, as a share. */
  volatility: z.number().min(0).max(0.1).default(0.00015),
  /** Mean time between takers' orders in each market. */
  takerEveryMs: z.number().positive().default(1500),
  /** Mean worth of a taker's order in quote token. */
  takerNotional: z.number().positive().default(1500),
});

export type SyntheticFlowOptions = z.output<typeof syntheticFlowSchema>;
