import { fixedText } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import { unixMs } from "../domain/time.ts";
import type { KernelConfig } from "../kernel/config.ts";
import { withFees } from "../simulated/fee-model.ts";
import { constantLatency, type LatencySettings } from "../simulated/latency-model.ts";
import type { VenueModels } from "../simulated/venue-models.ts";

/** A model by name, with its parameters. */
export type UsedModel = { readonly model: string } & Readonly<Record<string, unknown>>;

/** The models of the simulated venue and their parameters, as a replay's result states them. */
export type UsedModels = Readonly<Record<keyof VenueModels, UsedModel>>;

/** Names the models that `replaySetup` chooses. Delays are in milliseconds, rates are shares of the amount received. */
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

interface Modelled {
  readonly kernel: KernelConfig;
  readonly models: VenueModels;
  readonly usedModels: UsedModels;
}

/** A setup with some of its models replaced by the caller's, which are named `custom`. */
export function withModels<Setup extends Modelled>(
  setup: Setup,
  models: Partial<VenueModels>,
): Setup {
  const { fills, latency, fees } = models;
  const custom: UsedModel = { model: "custom" };
  return {
    ...setup,
    // The bot knows the fees that it will pay.
    kernel:
      fees === undefined
        ? setup.kernel
        : { ...setup.kernel, markets: withFees(setup.kernel.markets, fees) },
    models: {
      fills: fills ?? setup.models.fills,
      latency: latency ?? setup.models.latency,
      fees: fees ?? setup.models.fees,
    },
    usedModels: {
      fills: fills === undefined ? setup.usedModels.fills : custom,
      latency: latency === undefined ? setup.usedModels.latency : custom,
      fees: fees === undefined ? setup.usedModels.fees : custom,
    },
  };
}
