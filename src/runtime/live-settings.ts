import type { StrategySettings } from "../config/load-bot-config.ts";
import type { Address } from "../domain/ids.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import type { KernelConfig, KernelTiming } from "../kernel/config.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { Store } from "../ports/store.ts";
import type { RiskSettings } from "../risk/settings.ts";
import type { SessionKeeperOptions } from "../session/session-keeper.ts";

/** What a live bot is told by its configuration. */
export interface LiveSettings {
  readonly venue: { readonly rest: string; readonly ws: string; readonly chainId: number };
  /** `l1owner` of every command; undefined: the signer's own address. */
  readonly owner: Address | undefined;
  readonly rateLimit: KernelConfig["rate"];
  readonly risk: RiskSettings;
  readonly timing: KernelTiming;
  readonly streamTiming?: StreamTiming;
  /** Moves quotes by modify where that is safe (D23). `auto`: on our paper venue only. Default `never`. */
  readonly useModify?: "auto" | "always" | "never";
  readonly journal: { readonly path: string; readonly durability?: "process" | "power" };
  readonly strategies: readonly StrategySettings[];
  /** As written: for the journal. */
  readonly configText: string;
  readonly codeVersion: string;
  /** Signs and logs, sends nothing. */
  readonly dryRun?: boolean;
  /** When the process started, our clock; the start of the bot when left out. */
  readonly processStartMs?: number;
}

/** How a bot keeps its session wallet. */
export interface SessionKeeping
  extends Pick<SessionKeeperOptions, "expirySec" | "offsetMs" | "stopBeforeMs" | "renew"> {
  readonly l1ChainId: number;
}

/** Everything ambient that a bot stands on. */
export interface LivePorts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly store: Store;
  readonly log: Log;
  readonly crypto: Crypto;
  /** The owner's key, or a session wallet's. */
  readonly signer: Signer;
  /** Of a bot that signs as a session wallet: how that is kept. */
  readonly session?: SessionKeeping;
  /** From a source that nobody can guess. */
  randomBytes(count: number): Uint8Array;
}
