import { systemClock } from "../platform/clock.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { createDatabaseOpener } from "../platform/database.ts";
import { createLog } from "../platform/log.ts";
import { createServerFactory } from "../platform/server.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Log } from "../ports/log.ts";
import { type VenueDocument, venueSchema, venueWithoutConfig } from "../venue/config.ts";
import type { RecordedMarket } from "../venue/flow/recorded-market.ts";
import { type RunningVenue, startVenue, type VenuePorts } from "../venue/start-venue.ts";

export interface PaperVenueOptions {
  /** The document of a venue's YAML file; default: ETH/USDT with a faucet and simulated order flow. */
  readonly config?: VenueDocument;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The content of the recording that `flow: { replay }` names. */
  readonly recording?: readonly RecordedMarket[];
}

/** Starts a paper venue in this process. Rejects with ZodError for an invalid `config`, and as `startVenue` does. */
export async function startPaperVenue(options: PaperVenueOptions = {}): Promise<RunningVenue> {
  const { config = venueWithoutConfig, host = "127.0.0.1", port = 0, recording } = options;
  return startVenue({
    config: venueSchema.parse(config),
    ports: await venuePorts(createLog({ level: "warn" })),
    listen: { host, port },
    ...(recording === undefined ? {} : { recording }),
  });
}

/** A paper venue's ports on this machine. */
export async function venuePorts(log: Log): Promise<VenuePorts> {
  return {
    server: createServerFactory(),
    clock: systemClock,
    timer: systemTimer,
    crypto: await loadCrypto(),
    log,
    database: createDatabaseOpener(),
  };
}
