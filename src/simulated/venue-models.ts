import { candleFills, type CandleSettings } from "./candle-fills.ts";
import type { FeeModel } from "./fee-model.ts";
import { feeModel, type FeeSettings } from "./fee-model.ts";
import { type FillModel, queueFills } from "./fill-model.ts";
import {
  latencyModel,
  type LatencyModel,
  type LatencySettings,
  paperLatency,
} from "./latency-model.ts";
import { type FillSettings, queueModel } from "./queue-models.ts";

/** The models of a simulated venue: fills, latency and fees. */
export interface VenueModels {
  readonly fills: FillModel;
  readonly latency: LatencyModel;
  readonly fees: FeeModel;
  /** What they were made from. */
  readonly settings: ModelSettings;
}

/** What a configuration says about its simulated venue. */
export interface ModelSettings {
  readonly fills: FillSettings;
  readonly latency: LatencySettings;
  readonly fees: FeeSettings;
  /** Set where a recording of candles is played, in place of `fills`. */
  readonly candles?: CandleSettings;
}

/**
 * The models of these settings. `moves`: what moves the simulated market, a recording in virtual time or public data that has already
 * travelled.
 */
export function venueModels(
  settings: ModelSettings,
  moves: "recording" | "public-data",
): VenueModels {
  return {
    fills:
      settings.candles === undefined
        ? queueFills(queueModel(settings.fills))
        : candleFills(settings.candles),
    latency: (moves === "recording" ? latencyModel : paperLatency)(settings.latency),
    fees: feeModel(settings.fees),
    settings,
  };
}
