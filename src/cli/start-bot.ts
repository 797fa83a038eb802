import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { restore } from "../journal/restore.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { createStore } from "../platform/store.ts";
import { userLockFolder } from "../platform/user-folder.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { Bot } from "../runtime/bot.ts";
import type { HaltFile } from "../runtime/halt-file.ts";
import { startLive } from "../runtime/live.ts";
import { liveSettings, signingSettings } from "../runtime/live-settings.ts";
import { nodePorts } from "../runtime/node-ports.ts";
import { startPaper } from "../runtime/paper.ts";
import { paperSettings } from "../runtime/paper-settings.ts";
import { RequestPace } from "../runtime/request-pace.ts";
import { type SessionSetup, startWithSession } from "../runtime/session-signer.ts";
import { keystoreKeys, keystoreRenewal } from "../session/session-keys.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";
import { configuredVenueHint, withHint } from "./venue-hint.ts";
import { codeVersion } from "./version.ts";
import type { Watchdog } from "./watchdog.ts";

/** What a bot needs to start. */
export interface StartBotOptions {
  readonly config: BotConfig;
  readonly mode:
    | {
        readonly type: "live";
        /** A private key of 32 bytes, kept in this process's memory only; or `session` for the config's session wallet. */
        readonly key: Uint8Array | "session";
        readonly isDryRun: boolean;
      }
    | { readonly type: "paper" };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  readonly log: Log;
}

type Ports = ReturnType<typeof nodePorts<{ log: Log; crypto: Crypto; stop: AbortSignal }>>;

/** Starts the bot on this machine's ports, unless it is interrupted first. `close` closes them. */
async function start(
  options: StartBotOptions,
  watchdog: Watchdog | undefined,
  haltFile: HaltFile,
): Promise<{ readonly bot: Bot; close(): Promise<void> }> {
  const { config, mode, log, interrupt } = options;
  const { stop } = interrupt;
  const loaded = await loadCrypto();
  const crypto = watchdog === undefined ? loaded : watchdog.keysOf(loaded);
  const machine = nodePorts({ log, crypto, stop });
  const ports = { ...machine, http: watchdog?.heldHttp(machine.http) ?? machine.http };
  const close = (): Promise<void> => ports.http.close();
  const processStartMs = Math.round(performance.timeOrigin);
  const starting =
    mode.type === "paper"
      ? startPaper({ ...paperSettings(config), processStartMs }, ports)
      : startOnVenue(options, mode, { ...ports, haltFile }, { watchdog, loaded });
  try {
    return { bot: await unlessStopped(starting, stop), close };
  } catch (error) {
    await close();
    throw withHint(error, config.venue.rest, configuredVenueHint);
  }
}

/** As `start`; undefined when it was stopped meanwhile and the journal holds no order that may be open. */
export async function startUnlessIdle(
  ...args: Parameters<typeof start>
): Promise<Awaited<ReturnType<typeof start>> | undefined> {
  try {
    return await start(...args);
  } catch (error) {
    const [{ config, mode, terminal }] = args;
    const isInterrupted = error instanceof TouchlineError && error.code === "INTERRUPTED";
    const mayHaveOrders = mode.type === "live" && !mode.isDryRun;
    if (!isInterrupted) throw error;
    if (mayHaveOrders && restore(createStore(), config.journal.path).open.length > 0) throw error;
    terminal.say(error.message);
    return undefined;
  }
}

async function startOnVenue(
  { config, env }: StartBotOptions,
  { key, isDryRun }: Extract<StartBotOptions["mode"], { type: "live" }>,
  ports: Ports & { readonly haltFile: HaltFile },
  { watchdog, loaded }: { readonly watchdog: Watchdog | undefined; readonly loaded: Crypto },
): Promise<Bot> {
  const pace = new RequestPace(config.rateLimit, ports);
  const lockFolder = userLockFolder();
  if (lockFolder === undefined && !isDryRun) {
    ports.log.warn(
      { code: "NO_MARKET_LOCK" },
      "another bot on this machine would not be noticed: this user has no home folder for a lock",
    );
  }
  const run = {
    codeVersion: codeVersion(),
    dryRun: isDryRun,
    ...(lockFolder === undefined ? {} : { lockFolder }),
    processStartMs: Math.round(performance.timeOrigin),
  };
  const settings = liveSettings(config, run);
  const strategies = settings.strategies.map((strategy, index) => {
    const { definition } = strategy;
    return { ...strategy, definition: watchdog?.watched(definition, index) ?? definition };
  });
  // Made by the library itself, so that the key reaches no other thread.
  const throwawaySigner = loaded.signer(ports.randomBytes(32));
  const watched = { ...settings, strategies };
  const starting = { ...ports, pace, throwawaySigner };
  return key === "session"
    ? startWithSession(watched, sessionOf(config, isDryRun, env, ports), starting)
    : startLive(watched, { ...starting, signer: ports.crypto.signer(key) });
}

/** The started bot; rejects with `INTERRUPTED` as soon as `stop` aborts, after which no bot begins its first step. */
function unlessStopped(starting: Promise<Bot>, stop: AbortSignal): Promise<Bot> {
  return new Promise((resolve, reject) => {
    const stopped = (): void =>
      reject(
        new TouchlineError(
          "INTERRUPTED",
          "The bot was stopped while it was starting; it has placed no order.",
          { hint: "Orders of an earlier run may be open: the next start adopts them." },
        ),
      );
    const forget = (): void => stop.removeEventListener("abort", stopped);
    starting.then(resolve, reject).finally(forget);
    if (stop.aborted) stopped();
    else stop.addEventListener("abort", stopped, { once: true });
  });
}

function sessionOf(
  config: BotConfig,
  isDryRun: boolean,
  env: StartBotOptions["env"],
  { crypto, log }: Ports,
): SessionSetup {
  const owner = config.account?.owner;
  const signing = signingSettings(config, isDryRun);
  assert(owner !== undefined && signing?.session !== undefined, "a session has an owner");
  const { key, session: settings } = signing;
  const { l1ChainId, stopBeforeMs } = settings;
  const places = { owner, key, settings, env, crypto, log };
  const [keys, renew] = [keystoreKeys(places), keystoreRenewal(places)];
  return { owner, keys, renew, stopBeforeMs, l1ChainId };
}
