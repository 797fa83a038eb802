import type { BotConfig } from "../config/load-bot-config.ts";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { DashboardFold } from "../dashboard/dashboard-fold.ts";
import { configuredRows } from "../dashboard/limit-rows.ts";
import type { AboutBot } from "../dashboard/overview.ts";
import { type RunningDashboard, startDashboard } from "../dashboard/server.ts";
import { webDir } from "../dashboard/web-files.ts";
import { partsOf } from "../domain/market-roles.ts";
import type { Bot } from "../runtime/bot.ts";
import { botName } from "./bot-alerts.ts";
import type { Retuner } from "./retune.ts";
import type { BotControl } from "./serve-control.ts";
import { isReadByPerson, type Terminal } from "./terminal.ts";
import { codeVersion } from "./version.ts";

/** Folds the bot's steps into dashboard snapshots, and returns the function that makes a snapshot. */
export function snapshotsOf(bot: Bot, config: BotConfig) {
  const panels = partsOf(config.strategies).flatMap(({ strategy, role, marketId }) => {
    const market = bot.markets.find((candidate) => candidate.marketId === marketId);
    return market === undefined ? [] : [{ strategy, role, market }];
  });
  const fold = new DashboardFold(
    panels,
    config.rateLimit.perSecond,
    configuredRows(config),
    config.reportingCurrency,
  );
  bot.observers.on((entry) => fold.observe(entry));
  return (historySinceMs: number) => {
    const { latency } = bot.summary;
    const tickToOrderP50Us = latency.percentile(0.5) ?? null;
    const tickToOrderP99Us = latency.percentile(0.99) ?? null;
    return fold.snapshot(
      {
        latency: { tickToOrderP50Us, tickToOrderP99Us },
        calls: bot.callTimes,
        sources: bot.sources,
        missed: bot.observers.dropped,
        uptimes: bot.summary.uptimes,
        described: bot.described,
        nets: bot.nets,
        standstills: new Map(config.strategies.map(({ name }) => [name, bot.standstill(name)])),
      },
      historySinceMs,
    );
  };
}

// The built package contains JavaScript.
const journalThread = import.meta.url.endsWith(".ts") ? "journal-thread.ts" : "journal-thread.js";

interface BotPageOptions {
  readonly config: BotConfig;
  readonly mode: AboutBot["mode"];
  readonly terminal: Terminal;
  /** It may use another free port when its own is taken. */
  readonly mayMoveDashboard: boolean;
  readonly snapshot: ReturnType<typeof snapshotsOf>;
  readonly retuner: Retuner;
  readonly control: BotControl;
}

/** Opens the configured dashboard. If that fails, the bot runs without one and prints a warning. */
export async function openDashboard(
  options: BotPageOptions,
): Promise<RunningDashboard | undefined> {
  const { config, mode, terminal, mayMoveDashboard, snapshot, retuner, control } = options;
  if (config.dashboard === undefined) return undefined;
  const page = config.dashboard;
  const open = async (at: number): Promise<RunningDashboard> =>
    startDashboard({
      ...page,
      port: at,
      about: {
        bot: botName(config.file),
        mode,
        venue: new URL(config.venue.rest).host,
        startedMs: Date.now(),
      },
      version: codeVersion(),
      webDir: await webDir(),
      journal: config.journal.path,
      journalThread: new URL(journalThread, import.meta.url).href,
      snapshot,
      strategies: () => retuner.config.strategies,
      command: (line, by) => control.respond(line, by),
      warn: (text) => terminal.warn(text),
    });
  try {
    return await open(page.port);
  } catch (error) {
    const isTaken = error instanceof TouchlineError && error.code === "PORT_TAKEN";
    if (isTaken && mayMoveDashboard) return open(0);
    const reason = errorText(error);
    const hint = error instanceof TouchlineError ? (error.hint ?? "") : "";
    terminal.warn(`the dashboard is not available. ${[reason, hint].filter(Boolean).join(" ")}`);
    return undefined;
  }
}

export interface OpenedPage {
  readonly url: string;
  /** The address that logs one browser in; only where a person reads it, and no log. */
  readonly login: string | undefined;
}

/** The page's address, for the terminal. */
export async function openedPage(
  dashboard: RunningDashboard | undefined,
  terminal: Terminal,
): Promise<OpenedPage | undefined> {
  if (dashboard === undefined) return undefined;
  const login = isReadByPerson(terminal) ? await dashboard.loginLink("control") : undefined;
  return { url: dashboard.url, login };
}
