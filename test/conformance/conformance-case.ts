import type { VenueDocument } from "../../src/venue/config.ts";
import type { VenueClient } from "./client.ts";

/** One line of the interface, or one decision about what it leaves open, as a test that any transport can run. */
export interface ConformanceCase {
  /** `C-4.4-07`, `C-D12-03`: section or decision, then a number in it. Stands in docs/venue-lines.json. */
  readonly id: string;
  /** What the line says, in our own words. */
  readonly line: string;
  /** Settings of the venue, where not the usual ones. */
  readonly venue?: VenueDocument;
  run(client: VenueClient): Promise<void>;
}
