/** `touchline/venue/paper`: a paper venue in a program of one's own, for tests of clients. */
export { type PaperVenueOptions, startPaperVenue } from "./paper-venue.ts";
export {
  startVenue,
  type RunningVenue,
  type VenueOptions,
  type VenuePorts,
} from "../venue/start-venue.ts";
export {
  venueSchema,
  venueWithoutConfig,
  type VenueConfig,
  type VenueDocument,
} from "../venue/config.ts";
export type { RecordedMarket, RecordedMarketEvent } from "../venue/flow/recorded-market.ts";
