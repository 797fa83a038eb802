import type { Clock } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { VenueConfig } from "./config.ts";
import type { RequestRateLimit } from "./rate-limit.ts";
import type { Settlements } from "./settlements.ts";

/** What handlers and streams work with. */
export interface VenueContext {
  readonly config: VenueConfig;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly rateLimit: RequestRateLimit;
  /** Reads of each connection that need no token of the address. */
  readonly readShare: RequestRateLimit;
  /** Settlements on the simulated layer 1. */
  readonly settlements: Settlements;
  /** When this venue first started. */
  readonly startedAtMs: UnixMs;
  /** Commits all actions so far. Streams call it before they push a message outside a block. */
  settle(): void;
}
