import type { BotConfig } from "../../config/load-bot-config.ts";
import type { Address } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import type { VenueClient } from "../../gateway/venue-client.ts";
import type { Crypto, Signer } from "../../ports/crypto.ts";
import type { Log } from "../../ports/log.ts";
import type { nodePorts } from "../../runtime/node-ports.ts";

/** Result of a check. `skipped`: a problem found by an earlier check must be solved first. */
export type FindingStatus = "ok" | "warning" | "problem" | "skipped";

export interface Finding {
  readonly status: FindingStatus;
  /** For people, one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** For machines. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Checks one requirement of a bot; complete in its file. */
export interface Check {
  /** Name in JSON lines. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Names of checks that must have passed. */
  readonly needs: readonly string[];
  /** Hint for errors that have none. */
  readonly defaultHint?: string;
  /** A rejection with TouchlineError is reported as a problem. */
  run(checkup: Checkup): Promise<readonly Finding[]>;
}

/** Input of the checks: configuration, ports, and results of earlier checks. */
export interface Checkup {
  readonly config: BotConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: ReturnType<typeof nodePorts<{ readonly crypto: Crypto; readonly log: Log }>>;
  readonly client: VenueClient;
  readonly results: CheckupResults;
}

export interface CheckupResults {
  /** Venue clock minus ours, in ms. */
  offsetMs: number;
  /** The strategies' markets that exist at the venue. */
  markets: readonly Market[];
  owner: Address | undefined;
  signer: Signer | undefined;
  /** Another bot is using this journal. */
  isBusy: boolean;
}

/** The venue's time in Unix ms, by the offset measured. */
export function venueNowMs({ ports, results }: Checkup): number {
  return Math.floor(ports.clock.nowMs() + results.offsetMs);
}
