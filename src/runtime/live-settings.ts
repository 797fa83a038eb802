import type { BotConfig, StrategySettings } from "../config/load-bot-config.ts";
import type { SessionSettings } from "../config/signer-place.ts";
import type { Address } from "../domain/ids.ts";
import type { SegmentKeeperOptions } from "../journal/segment-keeper.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import type { Store } from "../ports/store.ts";
import type { SessionKeeperOptions } from "../session/session-keeper.ts";
import type { HaltFile } from "./halt-file.ts";
import type { KernelSettings } from "./kernel-config.ts";
import type { RequestPace } from "./request-pace.ts";

/** The part of its configuration that a live bot uses. */
export interface LiveSettings extends KernelSettings, Pick<BotConfig, "streams" | "journal"> {
  readonly venue: {
    readonly rest: string;
    readonly ws: string;
    readonly chainId: number;
    /** How long the venue may accept a time nonce, milliseconds; undefined: as its adapter says. */
    readonly nonceWindowMs?: number | undefined;
  };
  /** `l1owner` of every command; undefined: the signer's own address. */
  readonly owner: Address | undefined;
  /** Other programs place orders for this account, too: then the bot adopts none. Default false. */
  readonly isAccountShared?: boolean;
  readonly strategies: readonly StrategySettings[];
  readonly flattensAtStop?: readonly string[];
  /** The YAML as written, for the journal. */
  readonly configText: string;
  readonly codeVersion: string;
  /** Folder of the locks by account and market, for all bots of this user; undefined: none are taken. */
  readonly lockFolder?: string;
  /** Signs and logs, sends nothing. */
  readonly dryRun?: boolean;
  /** Unix time at which the process started; defaults to the start of the bot. */
  readonly processStartMs?: number;
  /** A call of a strategy that takes longer is warned about. Default 50 ms. */
  readonly slowCallMs?: number;
}

/** What a live bot and a bot on paper have in common. */
export function connectedSettings(config: BotConfig) {
  const { rest, ws, chainId } = config.venue;
  return {
    venue: { rest, ws, chainId },
    owner: config.account?.owner,
    rateLimit: config.rateLimit,
    risk: config.risk,
    unsetLimits: config.unsetLimits,
    reportingCurrency: config.reportingCurrency,
    timing: config.timing,
    execution: config.execution,
    strategies: config.strategies,
    flattensAtStop: config.flattensAtStop,
    sources: config.sources,
    streams: config.streams,
    slowCallMs: config.watchdog.slowCall,
  };
}

export function liveSettings(
  config: BotConfig,
  run: Pick<LiveSettings, "codeVersion" | "dryRun" | "lockFolder" | "processStartMs">,
): LiveSettings {
  const shared = connectedSettings(config);
  return {
    ...shared,
    venue: { ...shared.venue, nonceWindowMs: config.venue.nonceWindow },
    guard: config.guard,
    isAccountShared: config.account?.shared ?? false,
    journal: config.journal,
    configText: config.text,
    ...run,
  };
}

/** The key that signs a live bot's commands, and the session's settings when it is a session wallet's key. */
export interface SigningSettings {
  readonly key: KeyPlace;
  readonly session: (SessionSettings & { readonly l1ChainId: number }) | undefined;
}

/** Undefined without an account. */
export function signingSettings(
  { account, venue }: BotConfig,
  isDryRun: boolean,
): SigningSettings | undefined {
  if (account === undefined) return undefined;
  const { signer: key, session } = account;
  if (session === undefined) return { key, session };
  // A dry run sends nothing, so it makes no session.
  const renew = isDryRun ? undefined : session.renew;
  return { key, session: { ...session, renew, l1ChainId: venue.l1ChainId } };
}

/** How a bot renews its session wallet. */
export interface SessionKeeping
  extends Pick<
    SessionKeeperOptions,
    "expirySec" | "offsetMs" | "isNew" | "stopBeforeMs" | "renew" | "timing"
  > {
  readonly l1ChainId: number;
}

/** The ports of a live bot: time, network, storage, log and signing. */
export interface LivePorts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly store: Store;
  /** The journal's HALT file, when it may be written before the bot has started; left out: the bot makes its own. */
  readonly haltFile?: HaltFile | undefined;
  /** With what complete segments of the journal are compressed and deleted; left out: they stay as they are. */
  readonly segments?: Pick<SegmentKeeperOptions, "files" | "compress">;
  /** Where price sources that are recordings are read; left out where none is. */
  readonly recordings?: RecordingIo;
  readonly log: Log;
  readonly crypto: Crypto;
  /** Ends a start that is under way: no bot begins its first step afterwards. */
  readonly stop?: AbortSignal;
  /** Signs with the owner's key or a session wallet's. */
  readonly signer: Signer;
  /** The bucket of the requests that the process has sent before; left out: none. */
  readonly pace?: RequestPace;
  /** With a key that was made for this process and is kept nowhere; left out: the order path is not compiled in advance. */
  readonly throwawaySigner?: Signer;
  /** Set for a bot that signs with a session wallet. */
  readonly session?: SessionKeeping;
  /** Names the machine's start; undefined where the system does not tell. */
  readonly bootId?: string | undefined;
  /** Cryptographically secure. */
  randomBytes(count: number): Uint8Array;
}
