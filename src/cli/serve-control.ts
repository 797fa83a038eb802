import { controlPath } from "../control/control-path.ts";
import { type ControlledBot, respondTo } from "../control/respond.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { DashboardSnapshot } from "../dashboard/snapshot.ts";
import { type LocalServer, serveLocal } from "../platform/local-socket.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Bot } from "../runtime/bot.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";
import { journalFolder } from "./journal-folder.ts";

export interface ServeControlOptions {
  readonly bot: Bot;
  readonly config: BotConfig;
  readonly interrupt: Interrupt;
  readonly terminal: Terminal;
  snapshot(historySinceMs: number): DashboardSnapshot;
}

/** Opens a running bot's local socket. Without it signals and the HALT file still work, so a failure is a warning. */
export async function serveControl(options: ServeControlOptions): Promise<LocalServer | undefined> {
  const { config, terminal } = options;
  const path = controlPath(config);
  const bot = controlled(options);
  try {
    return await serveLocal(path, (line) => respondTo(line, { bot, timer: systemTimer }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.warn(`\`touchline stop\`, \`pause\` and \`halt\` cannot reach this bot: ${reason}`);
    return undefined;
  }
}

function controlled({ bot, config, interrupt, snapshot }: ServeControlOptions): ControlledBot {
  return {
    pause: (strategy) => bot.pause(strategy),
    resume: (strategy, force) => bot.resume(strategy, force),
    halt: (reason) => bot.halt(reason),
    async stop() {
      // As a signal does, so that the summary is printed and the exit code is the same.
      interrupt.request();
      return bot.done;
    },
    openOrders: (which, strategy) => bot.openOrders(which, strategy),
    strategies: config.strategies.map(({ name }) => name),
    journal: journalFolder(config),
    addGuard: bot.guards === undefined ? undefined : (connection) => bot.guards?.add(connection),
    status: () => statusOf(snapshot(Number.POSITIVE_INFINITY)),
  };
}

/** The page's data without books, lists and charts. */
function statusOf({ panels, guard, warnings }: DashboardSnapshot) {
  return {
    pid: process.pid,
    guard,
    strategies: panels.map(
      ({ strategy, marketId, book, orders, counts, account, reason, risk }) => ({
        strategy,
        market: marketId,
        book: book.state,
        orders: orders.length,
        fills: counts.fills,
        inventory: account.inventory,
        realisedPnl: account.realisedPnl,
        unrealisedPnl: account.unrealisedPnl,
        reason,
        risk,
      }),
    ),
    warnings: warnings.slice(-10),
  };
}
