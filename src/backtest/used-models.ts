import { fixedText } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import { durationText } from "../domain/setting.ts";
import type { DelaySettings } from "../simulated/delay.ts";
import type { QueueName } from "../simulated/queue-models.ts";
import type { ModelSettings } from "../simulated/venue-models.ts";

/** The models of the simulated venue and their parameters, as a replay's result states them. */
export interface UsedModels {
  /** `exponent` only where the queue has one. */
  readonly fills: {
    readonly queue: QueueName;
    readonly exponent?: number;
    readonly partialFills: boolean;
  };
  /** Delays in the form of the configuration; a trace with the number of its measurements. */
  readonly latency: {
    readonly entry: string;
    readonly response: string;
    readonly feed: string;
    readonly seed: number;
  };
  /** Rates as shares of the amount received, and volumes in quote token; decimal text. */
  readonly fees: {
    readonly markets: Readonly<Record<string, { readonly maker: string; readonly taker: string }>>;
    readonly tiers: readonly {
      readonly volume: string;
      readonly maker: number;
      readonly taker: number;
    }[];
  };
}

/** What the result says about these models. `markets` have the first fees. */
export function usedModels(
  { fills, latency, fees }: ModelSettings,
  markets: readonly Market[],
): UsedModels {
  const { queue, exponent, partialFills } = fills;
  return {
    fills: { queue, ...(queue === "power" ? { exponent } : {}), partialFills },
    latency: {
      entry: delayText(latency.entry),
      response: delayText(latency.response),
      feed: delayText(latency.feed),
      seed: latency.seed,
    },
    fees: {
      markets: Object.fromEntries(
        markets.map(({ marketId, makerFee, takerFee }) => [
          marketId,
          { maker: fixedText(makerFee), taker: fixedText(takerFee) },
        ]),
      ),
      tiers: fees.tiers.map((tier) => ({ ...tier, volume: fixedText(tier.volume) })),
    },
  };
}

function delayText(delay: DelaySettings): string {
  switch (delay.type) {
    case "constant":
      return durationText(delay.ms);
    case "uniform":
      return `uniform(${durationText(delay.min)}, ${durationText(delay.max)})`;
    case "normal":
    case "lognormal":
      return `${delay.type}(${durationText(delay.mean)}, ${durationText(delay.deviation)})`;
    case "exponential":
      return `exponential(${durationText(delay.mean)}, ${durationText(delay.min)})`;
    case "trace":
      return `trace(${delay.samples.length} measurements)`;
    case "recorded":
      return `recorded(${durationText(delay.min)})`;
  }
}
