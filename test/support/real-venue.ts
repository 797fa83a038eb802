import { systemClock } from "../../src/platform/clock.ts";
import { createServerFactory } from "../../src/platform/server.ts";
import { systemTimer } from "../../src/platform/timer.ts";
import type { ServerFactory } from "../../src/ports/server.ts";
import type { StreamLimits } from "../../src/spec/limits.ts";
import { type VenueDocument, venueSchema } from "../../src/venue/config.ts";
import { type RunningVenue, startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, testCrypto } from "./venue.ts";

/** The paper venue over real HTTP and WebSocket on loopback, by the real clock. */
export async function startRealVenue(
  document: VenueDocument = {},
  options: {
    /** 0 takes a free one. */
    readonly port?: number;
    readonly server?: ServerFactory;
    readonly streamLimits?: Partial<StreamLimits>;
  } = {},
): Promise<RunningVenue> {
  return startVenue({
    config: venueSchema.parse(document),
    listen: { host: "127.0.0.1", port: options.port ?? 0 },
    ports: {
      server: options.server ?? createServerFactory(),
      clock: systemClock,
      timer: systemTimer,
      crypto: await testCrypto(),
      log: silentLog,
    },
    streamLimits: options.streamLimits ?? {},
  });
}
