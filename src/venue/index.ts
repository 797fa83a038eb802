/** The package's `touchline/venue`: a paper venue to start from a program or a test. */
export {
  startVenue,
  type RunningVenue,
  type VenueOptions,
  type VenuePorts,
} from "./start-venue.ts";
export { venueSchema, venueWithoutConfig, type VenueConfig, type VenueDocument } from "./config.ts";
export type { RecordedMarket, RecordedMarketEvent } from "./flow/recorded-market.ts";
