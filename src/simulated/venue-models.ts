import type { FeeModel } from "./fee-model.ts";
import type { FillModel } from "./fill-model.ts";
import type { LatencyModel } from "./latency-model.ts";

/** The models of a simulated venue: fills, latency and fees. */
export interface VenueModels {
  readonly fills: FillModel;
  readonly latency: LatencyModel;
  readonly fees: FeeModel;
}
