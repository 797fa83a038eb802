import { symbolsIn } from "./token-of.ts";
import { assert } from "../base/assert.ts";
import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import type { AboutBot } from "../dashboard/overview.ts";
import type { RunningDashboard } from "../dashboard/server.ts";
import type { Market } from "../domain/market.ts";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import { restore } from "../journal/restore.ts";
import { createStore } from "../platform/store.ts";
import { userLockFolder } from "../platform/user-folder.ts";
import { loadCrypto } from "../platform/crypto.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import { startLive } from "../runtime/live.ts";
import { liveSettings, signingSettings } from "../runtime/live-settings.ts";
import type { Bot, BotEnd } from "../runtime/bot.ts";
import { dryRunPlaces } from "../runtime/dry-run.ts";
import { HaltFile } from "../runtime/halt-file.ts";
import { nodePorts } from "../runtime/node-ports.ts";
import { RequestPace } from "../runtime/request-pace.ts";
import { type SessionSetup, startWithSession } from "../runtime/session-signer.ts";
import { keystoreKeys, keystoreRenewal } from "../session/session-keys.ts";
import { startPaper } from "../runtime/paper.ts";
import { paperSettings } from "../runtime/paper-settings.ts";
import { type ExitCode, exitCode, OPEN_ORDERS_HINT } from "./exit-code.ts";
import type { Interrupt } from "./interrupt.ts";
import { type LoadedConfig, Retuner } from "./retune.ts";
import { BotAlerts } from "./bot-alerts.ts";
import { openDashboard, type OpenedPage, openedPage, snapshotsOf } from "./bot-page.ts";
import { BotControl } from "./serve-control.ts";
import { summaryText } from "./summary-text.ts";
import type { Terminal } from "./terminal.ts";
import { codeVersion } from "./version.ts";
import { configuredVenueHint, withHint } from "./venue-hint.ts";
import {
  canStartAnew,
  type CheckedTexts,
  startAnew,
  watchLoaded,
  watchStrategies,
} from "./new-code.ts";
import { reportTuned } from "./report-tuned.ts";
import { Watchdog } from "./watchdog.ts";

export interface RunBotOptions {
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
  readonly loaded: LoadedConfig;
  /** A change of its file is taken as `touchline reload` does, and one of a strategy's file by a new process. */
  readonly watches: boolean;
  /** Time from the process's start to the stop; undefined: the bot runs until it is interrupted. */
  readonly durationMs: number | undefined;
  /** On a paper venue that `touchline demo` has started. */
  readonly isDemo?: true;
  /** The dashboard may use another free port when its own is taken. */
  readonly mayMoveDashboard: boolean;
  /** Called before the bot's first step. */
  begins?(bot: Bot): void;
  /** Called once the bot is running. */
  started?(bot: Bot, page: OpenedPage | undefined): void;
}

/** Runs a bot and prints its summary. Rejects when it cannot start. */
export async function runBot(options: RunBotOptions): Promise<ExitCode> {
  const { config, mode, terminal, interrupt, log } = options;
  const watchdog = watchdogOf(options);
  const guard = new BugGuard(log, interrupt);
  let dashboard: RunningDashboard | undefined;
  const places = ownPlaces(config, mode.type === "live" && mode.isDryRun);
  const haltFile = new HaltFile(createStore(), places.journal.path);
  const isServed = mode.type === "live";
  const control = new BotControl({ config: places, haltFile, interrupt, terminal, isServed });
  const alerts =
    isServed && places === config
      ? BotAlerts.open(config, {
          env: options.env,
          log,
          command: (line, by) => control.respond(line, by),
        })
      : undefined;
  let kept = 0;
  let close: () => Promise<void> = async () => undefined;
  let stopWatching = (): void => undefined;
  const ending = new AbortController();
  let renewal: { readonly by: CommandOrigin; readonly checked: CheckedTexts } | undefined;
  try {
    await control.listen();
    const started = await startUnlessIdle(options, watchdog, haltFile);
    if (started === undefined) return exitCode.done;
    const { bot } = started;
    close = started.close;
    options.begins?.(bot);
    alerts?.follow(bot);
    // Called before the bot's first step, so that the page shows every step.
    const snapshot = snapshotsOf(bot, withMarketIds(config, bot.markets));
    void bot.done.then(() => ending.abort());
    const retuner = new Retuner(options.loaded, bot);
    await control.attach({ bot, snapshot, retuner, page: () => dashboard });
    interrupt.onHangup(() => void reload(retuner, terminal, { who: "signal", from: "SIGHUP" }));
    if (options.watches) {
      stopWatching = watchFiles(options, { bot, retuner }, (by, checked) => {
        renewal = { by, checked };
        ending.abort();
      });
    }
    dashboard = await openDashboard({
      ...options,
      mode: modeOf(options),
      snapshot,
      retuner,
      control,
    });
    watchdog?.start();
    options.started?.(bot, await openedPage(dashboard, terminal));
    await interrupt.ended(options.durationMs, ending.signal);
    if (interrupt.stop.aborted) renewal = undefined;
    if (renewal !== undefined) bot.keepOrders();
    terminal.say(
      terminal.dim(`Stopping: ${bot.keepsOrders ? "keeping" : "canceling"} the bot's orders.`),
    );
    interrupt.beforeExit(() => terminal.fail(stoppedAtOnce(mode.type)));
    bot.stop(renewal?.by ?? interrupt.by);
    // A stop that comes after the bot is to start anew ends it.
    interrupt.stop.addEventListener("abort", () => bot.stop(interrupt.by));
    const end = await bot.done;
    if (!bot.keepsOrders || !end.ok || guard.failure !== undefined) renewal = undefined;
    kept = end.kept.length;
    alerts?.ended(end, guard.failure);
    report(end, guard.failure, bot.markets, terminal);
    if (!end.ok || guard.failure !== undefined) return exitCode.failed;
  } catch (error) {
    alerts?.notStarted(error);
    throw error;
  } finally {
    stopWatching();
    guard.close();
    await watchdog?.close();
    await dashboard?.close();
    await close();
    await alerts?.close();
    // Last, so that a stop reaches a bot that is about to start anew.
    await control.close({ startsAnew: renewal !== undefined && !interrupt.stop.aborted });
  }
  const { durationMs } = options;
  if (renewal === undefined) return exitCode.done;
  if (!interrupt.stop.aborted) {
    await startAnew(renewal.checked, durationMs && durationMs - performance.now());
  }
  if (kept === 0) return exitCode.done;
  terminal.fail(
    new TouchlineError(
      "INTERRUPTED",
      `The bot was stopped when it had just left ${counted(kept, "order")} open to start anew.`,
      {
        hint: OPEN_ORDERS_HINT,
      },
    ),
  );
  return exitCode.failed;
}

function modeOf({ mode, isDemo }: RunBotOptions): AboutBot["mode"] {
  if (isDemo === true) return "demo";
  if (mode.type === "paper") return "paper";
  return mode.isDryRun ? "dryRun" : "live";
}

/** Follows the configuration and the strategies' own files. `renewed`: a new process is to take the place of this one once the bot has ended. */
function watchFiles(
  { config, loaded, interrupt, terminal }: RunBotOptions,
  { bot, retuner }: { readonly bot: Bot; readonly retuner: Retuner },
  renewed: (by: CommandOrigin, checked: CheckedTexts) => void,
): () => void {
  const stops = [
    watchLoaded(config.file, () => {
      void reload(retuner, terminal, { who: "--watch", from: config.file });
    }),
    watchStrategies(loaded, {
      changed(file, checked) {
        if (bot.isEnding || interrupt.stop.aborted) return;
        if (!canStartAnew) {
          terminal.warn(
            `${file} has changed: \`touchline stop --keep-orders\` and a new start take it over.`,
          );
          return;
        }
        terminal.say(`${file} has changed: the bot starts anew with it and takes its orders over.`);
        renewed({ who: "--watch", from: file }, checked);
      },
      refused: (error) => terminal.fail(error),
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Takes the file's parameters, and says on the terminal what came of it. */
async function reload(retuner: Retuner, terminal: Terminal, by: CommandOrigin): Promise<void> {
  try {
    reportTuned(await retuner.reload(by), terminal);
  } catch (error) {
    terminal.fail(error);
  }
}

/** The configuration with the places that this run writes to. */
export function ownPlaces(config: BotConfig, isDryRun: boolean): BotConfig {
  return isDryRun ? dryRunPlaces(config) : config;
}

/** A dry run sends nothing, and a bot on paper has no orders at the venue. */
function watchdogOf({ config, mode, terminal }: RunBotOptions): Watchdog | undefined {
  if (mode.type !== "live" || mode.isDryRun) return undefined;
  return new Watchdog(config, { json: terminal.json });
}

type Ports = ReturnType<typeof nodePorts<{ log: Log; crypto: Crypto; stop: AbortSignal }>>;

/** Starts the bot on this machine's ports, unless it is interrupted first. `close` closes them. */
async function start(
  options: RunBotOptions,
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
async function startUnlessIdle(
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
  { config, env }: RunBotOptions,
  { key, isDryRun }: Extract<RunBotOptions["mode"], { type: "live" }>,
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
  env: RunBotOptions["env"],
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

/** The error that a second signal reports: the bot was still waiting for the end of its orders. */
function stoppedAtOnce(mode: RunBotOptions["mode"]["type"]): TouchlineError {
  return mode === "paper"
    ? new TouchlineError("INTERRUPTED", "The bot ended at once, without a summary.")
    : new TouchlineError(
        "INTERRUPTED",
        "The bot ended at once: its orders may still be open, and no summary was made.",
        {
          hint: OPEN_ORDERS_HINT,
        },
      );
}

/** `failure`: the error that nothing caught and that stopped the bot; undefined without one. */
function report(
  end: BotEnd,
  failure: string | undefined,
  markets: readonly Market[],
  terminal: Terminal,
): void {
  terminal.print(summaryText(end.summary, terminal, symbolsIn(markets)));
  if (end.kept.length > 0) {
    const kept = `${counted(end.kept.length, "order")} left open for the next start`;
    terminal.say(`${kept}: ${end.kept.join(", ")}`);
  }
  if (!end.ok) terminal.fail(failedRun(end, failure));
  else if (failure !== undefined) {
    terminal.fail(
      new TouchlineError("UNCAUGHT_ERROR", `${uncaught(failure)}. None of its orders is left.`, {
        hint: "The log has the place where it was thrown. A strategy may use neither timers nor promises.",
      }),
    );
  }
  terminal.emit("summary", { ...end.summary });
}

function failedRun(end: BotEnd, failure: string | undefined): TouchlineError {
  const orders =
    end.inQuestion.length === 0 ? "" : ` Orders in question: ${end.inQuestion.join(", ")}.`;
  const cause = failure === undefined ? "" : `${uncaught(failure)}. `;
  return new TouchlineError(
    end.code ?? "RUN_FAILED",
    `${cause}The run did not end well: ${end.reason.replace(/\.$/, "")}.${orders}`,
    {
      hint:
        end.code === "ANOTHER_BOT"
          ? "Stop the other bot, or give this one an account of its own. Orders placed by hand just now may look like one: then start again."
          : OPEN_ORDERS_HINT,
    },
  );
}

function uncaught(failure: string): string {
  return `An error that nothing caught stopped the bot: ${failure}`;
}

/** Stops the bot on an uncaught error, so that it cancels its orders instead of dying with them open. */
class BugGuard {
  /** Message of the first uncaught error. */
  failure: string | undefined;
  readonly #listener: (error: unknown) => void;

  constructor(log: Log, interrupt: Interrupt) {
    this.#listener = (error) => {
      this.failure ??= errorText(error);
      log.error({ err: error }, "uncaught error: the bot stops");
      interrupt.request();
    };
    process.on("uncaughtException", this.#listener);
    process.on("unhandledRejection", this.#listener);
  }

  close(): void {
    process.off("uncaughtException", this.#listener);
    process.off("unhandledRejection", this.#listener);
  }
}
