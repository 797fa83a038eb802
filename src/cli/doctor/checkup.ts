import type { BotConfig } from "../../config/load-bot-config.ts";
import type { Address } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import type { VenueClient } from "../../gateway/venue-client.ts";
import type { Crypto, Signer } from "../../ports/crypto.ts";
import type { Log } from "../../ports/log.ts";
import type { nodePorts } from "../../runtime/node-ports.ts";

/** How one thing that a bot needs stands. `skipped`: something before it has to be mended first. */
export type FindingStatus = "ok" | "warning" | "problem" | "skipped";

export interface Finding {
  readonly status: FindingStatus;
  /** A sentence for people. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** The same for machines. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One thing that a bot needs; its file holds all of it. */
export interface Check {
  /** For machines. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Names of checks that must not have found a problem. */
  readonly needs: readonly string[];
  /** What to do about an error that does not say so itself. */
  readonly mend?: string;
  /** May reject with TouchlineError: a problem in its words. */
  run(checkup: Checkup): Promise<readonly Finding[]>;
}

/** What a check stands on: the configuration, this machine's ports, and what the checks before it have found. */
export interface Checkup {
  readonly config: BotConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: ReturnType<typeof nodePorts<{ readonly crypto: Crypto; readonly log: Log }>>;
  readonly client: VenueClient;
  readonly found: Found;
}

export interface Found {
  /** The venue's clock less ours. */
  offsetMs: number;
  /** Of the strategies, as far as the venue has them. */
  markets: readonly Market[];
  owner: Address | undefined;
  signer: Signer | undefined;
  /** Another bot is at work with this journal. */
  isBusy: boolean;
}

/** The venue's time, as well as the checkup knows it. */
export function venueNowMs({ ports, found }: Checkup): number {
  return Math.floor(ports.clock.nowMs() + found.offsetMs);
}
