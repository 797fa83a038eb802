import type { VenueDocument } from "../../src/venue/config.ts";
import type { VenueClient } from "./client.ts";

/** One line of the interface, or one decision about a gap in it, as a test for any transport. */
export interface ConformanceCase {
  /** `C-4.4-07`, `C-D12-03`: section or decision, then a number in it. Listed in venue-lines.ndjson. */
  readonly id: string;
  /** The line in our own words. */
  readonly line: string;
  /** Settings of the venue that differ from the usual ones. */
  readonly venue?: VenueDocument;
  run(client: VenueClient): Promise<void>;
}
