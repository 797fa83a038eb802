import { counted } from "../base/counted.ts";
import { fixedText } from "../domain/fixed.ts";
import { percentText } from "../domain/setting.ts";
import type { Market } from "../domain/market.ts";
import { delayText } from "../simulated/delay.ts";
import type { CandleSettings } from "../simulated/candle-fills.ts";
import type { FillSettings } from "../simulated/queue-models.ts";
import type { ModelSettings } from "../simulated/venue-models.ts";

/** The models of the simulated venue and their parameters, as a replay's result states them. */
export interface UsedModels {
  /** `exponent`: of the queue `power`. */
  readonly fills:
    | (Pick<FillSettings, "queue" | "partialFills"> & { readonly exponent?: number })
    | ({ readonly queue: "candles" } & CandleSettings);
  /** As in YAML; a trace with the number of its delays. */
  readonly latency: { readonly entry: string; readonly response: string; readonly feed: string };
  readonly fees: {
    /** The rates of the first fill by market, as shares of the amount received; decimal text. */
    readonly markets: Readonly<Record<string, FeeRow>>;
    /** Rates from a volume on, quote token. */
    readonly tiers: readonly (FeeRow & { readonly volume: string })[];
  };
}

interface FeeRow {
  readonly maker: string;
  readonly taker: string;
}

/** Names the models of these settings; `markets` have the rates of the first fill. */
export function usedModels(
  { fills, latency, fees, candles }: ModelSettings,
  markets: readonly Market[],
): UsedModels {
  const { queue, exponent, partialFills } = fills;
  return {
    fills:
      candles === undefined
        ? { queue, ...(queue === "power" ? { exponent } : {}), partialFills }
        : { queue: "candles", ...candles },
    latency: {
      entry: delayText(latency.entry),
      response: delayText(latency.response),
      feed: delayText(latency.feed),
    },
    fees: {
      markets: Object.fromEntries(
        markets.map(({ marketId, makerFee, takerFee }) => [
          marketId,
          { maker: fixedText(makerFee), taker: fixedText(takerFee) },
        ]),
      ),
      tiers: fees.tiers.map(({ volume, maker, taker }) => ({
        volume: fixedText(volume),
        maker: String(maker),
        taker: String(taker),
      })),
    },
  };
}

/** One line of text for people. */
export function modelsText({ fills, latency, fees }: UsedModels): string {
  const { entry, response, feed } = latency;
  return `fills ${fillsText(fills)}; latency entry ${entry}, response ${response}, feed ${feed}; fees ${feesText(fees)}`;
}

/** The rates once where all markets have the same ones. */
function feesText({ markets, tiers }: UsedModels["fees"]): string {
  const rates = Object.entries(markets).map(([market, { maker, taker }]) => ({
    market,
    text: `maker ${percentText(Number(maker))}, taker ${percentText(Number(taker))}`,
  }));
  const texts = [...new Set(rates.map(({ text }) => text))];
  const first =
    texts.length === 1 ? texts : rates.map(({ market, text }) => `${text} in ${market}`);
  const later = tiers.length === 0 ? "" : `, then ${counted(tiers.length, "tier")} by volume`;
  return `${first.join(" and ")}${later}`;
}

function fillsText(fills: UsedModels["fills"]): string {
  if (fills.queue === "candles") {
    const { volumeShare, halfSpread } = fills;
    return `candles (volume share ${percentText(volumeShare)}, half spread ${percentText(halfSpread)})`;
  }
  const queue = fills.exponent === undefined ? fills.queue : `${fills.queue}(${fills.exponent})`;
  return `${queue}${fills.partialFills ? "" : ", whole"}`;
}
