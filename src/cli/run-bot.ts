import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import type { AboutBot } from "../dashboard/overview.ts";
import type { RunningDashboard } from "../dashboard/server.ts";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import { createStore } from "../platform/store.ts";
import type { Log } from "../ports/log.ts";
import type { Bot } from "../runtime/bot.ts";
import { dryRunPlaces } from "../runtime/dry-run.ts";
import { HaltFile } from "../runtime/halt-file.ts";
import { reportEnd, stoppedAtOnce } from "./report-end.ts";
import { type StartBotOptions, startUnlessIdle } from "./start-bot.ts";
import { type ExitCode, exitCode, OPEN_ORDERS_HINT } from "./exit-code.ts";
import type { Interrupt } from "./interrupt.ts";
import { type LoadedConfig, Retuner } from "./retune.ts";
import { BotAlerts } from "./bot-alerts.ts";
import { openDashboard, type OpenedPage, openedPage, snapshotsOf } from "./bot-page.ts";
import { BotControl } from "./serve-control.ts";
import type { Terminal } from "./terminal.ts";
import {
  canStartAnew,
  type CheckedTexts,
  startAnew,
  watchLoaded,
  watchStrategies,
} from "./new-code.ts";
import { reportTuned } from "./report-tuned.ts";
import { Watchdog } from "./watchdog.ts";

export interface RunBotOptions extends StartBotOptions {
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
    reportEnd(end, guard.failure, bot.markets, terminal);
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
