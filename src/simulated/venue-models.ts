import type { FeeModel } from "./fee-model.ts";
import type { FillModel } from "./fill-model.ts";
import type { LatencyModel } from "./latency-model.ts";

/** What a simulated venue is made of besides its exchange. */
export interface VenueModels {
  readonly fills: FillModel;
  readonly latency: LatencyModel;
  readonly fees: FeeModel;
}
