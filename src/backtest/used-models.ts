import { fixedText } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import { constantLatency, type LatencySettings } from "../simulated/latency-model.ts";
import { unixMs } from "../domain/time.ts";

/** The models of the simulated venue and their parameters, as a replay's result states them. */
export interface UsedModels {
  readonly fills: { readonly model: string };
  /** Delays in milliseconds, as the model applies them. */
  readonly latency: {
    readonly model: string;
    readonly entryMs: number;
    readonly responseMs: number;
    readonly feedMs: number;
  };
  /** Rates by market, as shares of the amount received; decimal text. */
  readonly fees: {
    readonly model: string;
    readonly markets: Readonly<Record<string, { readonly maker: string; readonly taker: string }>>;
  };
}

/** Names the models that `replaySetup` chooses. */
export function usedModels(latency: LatencySettings, markets: readonly Market[]): UsedModels {
  const delays = constantLatency(latency);
  const anyMs = unixMs(0);
  return {
    fills: { model: "price-time" },
    latency: {
      model: "constant",
      entryMs: delays.entryMs(anyMs),
      responseMs: delays.responseMs(anyMs),
      feedMs: delays.feedMs(anyMs),
    },
    fees: {
      model: "flat",
      markets: Object.fromEntries(
        markets.map(({ marketId, makerFee, takerFee }) => [
          marketId,
          { maker: fixedText(makerFee), taker: fixedText(takerFee) },
        ]),
      ),
    },
  };
}
