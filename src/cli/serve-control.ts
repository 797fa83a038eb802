import { errorText } from "../base/error-text.ts";
import { assert } from "../base/assert.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { controlPath } from "../control/control-path.ts";
import type { ControlledBot } from "../control/controlled-bot.ts";
import { respondTo } from "../control/respond.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { RunningDashboard } from "../dashboard/server.ts";
import type { DashboardSnapshot } from "../dashboard/snapshot.ts";
import { type LocalServer, serveLocal } from "../platform/local-socket.ts";
import { systemTimer } from "../platform/timer.ts";
import type { LineConnection } from "../ports/line-connection.ts";
import type { Bot } from "../runtime/bot.ts";
import type { HaltFile } from "../runtime/halt-file.ts";
import { startingStatus, statusOf } from "../dashboard/bot-status.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Retuner } from "./retune.ts";
import type { Terminal } from "./terminal.ts";
import { journalFolder } from "./journal-folder.ts";

export interface BotControlOptions {
  readonly config: BotConfig;
  /** The bot's file as well, which has to know of a write that the disk has not confirmed. */
  readonly haltFile: HaltFile;
  readonly interrupt: Interrupt;
  readonly terminal: Terminal;
  /** Whether there is a socket: a bot on paper has none. */
  readonly isServed: boolean;
}

export interface StartedBot {
  readonly bot: Bot;
  readonly retuner: Retuner;
  /** Undefined without a page, and until it is there. */
  page(): RunningDashboard | undefined;
  snapshot(historySinceMs: number): DashboardSnapshot;
}

/**
 * Does what requests ask of a bot, from its local socket, its page and chats. The socket is served before the bot starts, since a venue
 * may keep a start waiting and a halt must reach the bot then, too. Without the socket signals and the HALT file still work, so a
 * failure is a warning.
 */
export class BotControl {
  readonly #options: BotControlOptions;
  #bot: ControlledBot;
  #server: LocalServer | undefined;
  /** Connections of guards, which the bot takes over when it has started. */
  readonly #guards: LineConnection[] = [];

  constructor(options: BotControlOptions) {
    this.#options = options;
    this.#bot = starting(options, this.#guards);
  }

  /** Serves the socket of a bot that is about to start. A process that still listens, such as a bot that is ending, is no failure yet. */
  async listen(): Promise<void> {
    await this.#listen().catch(() => undefined);
  }

  /** The bot has started. */
  async attach(started: StartedBot): Promise<void> {
    const { bot } = started;
    this.#bot = controlledBot(this.#options, started);
    for (const connection of this.#guards.splice(0)) {
      // A dry run has nothing to guard. Its guard connects again and gets the refusal.
      if (bot.guards === undefined) connection.end();
      else bot.guards.add(connection);
    }
    try {
      await this.#listen();
    } catch (error) {
      const reason = errorText(error);
      this.#options.terminal.warn(
        `\`touchline stop\`, \`pause\` and \`halt\` cannot reach this bot: ${reason}`,
      );
    }
  }

  /** Does what a line of an action asks, from elsewhere than the socket, and gives the line in return. */
  async respond(line: string, by: CommandOrigin): Promise<string> {
    const response = await this.#respond(line, by);
    assert(typeof response === "string", "an action is no guard");
    return response;
  }

  async close(options: { readonly startsAnew: boolean }): Promise<void> {
    await this.#server?.close(options);
  }

  #respond(line: string, by: CommandOrigin): ReturnType<typeof respondTo> {
    return respondTo(line, { bot: this.#bot, timer: systemTimer, by });
  }

  async #listen(): Promise<void> {
    if (!this.#options.isServed) return;
    this.#server ??= await serveLocal(controlPath(this.#options.config), (line) =>
      this.#respond(line, { who: "cli", from: "local socket" }),
    );
  }
}

/** A bot that has not started: it has placed no order, and reads the HALT file before its first step. */
function starting(
  { config, haltFile, interrupt }: BotControlOptions,
  guards: LineConnection[],
): ControlledBot {
  return {
    running: undefined,
    async halt(reason) {
      const fromFirstStep =
        "the bot is still starting; it is halted from its first step on, and then cancels what an earlier run has left open";
      try {
        const isWritten = await haltFile.writeSoon(reason, systemTimer);
        if (!isWritten)
          return `${fromFirstStep}; a restart would end the halt: the disk does not answer`;
      } catch (thrown) {
        const cause = errorText(thrown);
        return `the bot is still starting, and no HALT file can be written (${cause}): \`touchline stop\` ends it`;
      }
      return fromFirstStep;
    },
    async stop(_keepsOrders, by) {
      interrupt.request(by);
      const reason =
        "the bot was still starting and has placed no order; orders of an earlier run may be open";
      return { ok: false, reason, inQuestion: [], kept: [] };
    },
    strategies: config.strategies.map(({ name }) => name),
    get journal() {
      return journalFolder(config);
    },
    addGuard: (connection) => void guards.push(connection),
    login: () => Promise.reject(new Error("the bot is still starting: its page is not there yet")),
    status: () => startingStatus(Date.now()),
  };
}

/** A bot that has started, for its operator. */
export function controlledBot(
  { config, interrupt }: Pick<BotControlOptions, "config" | "interrupt">,
  { bot, snapshot, retuner, page }: StartedBot,
): ControlledBot {
  return {
    running: { bot, tuner: retuner },
    halt: (reason, strategy, by) => bot.halt(reason, strategy, by),
    async stop(keepsOrders, by) {
      if (keepsOrders) bot.keepOrders();
      // Of two ways to end the one that cancels counts.
      if (bot.keepsOrders && interrupt.stop.aborted) bot.stop(by);
      // As a signal does, so that the summary is printed and the exit code is the same.
      interrupt.request(by);
      const end = await bot.done;
      if (keepsOrders || end.kept.length === 0) return end;
      const reason = "it had just ended and has left its orders open";
      return { ...end, ok: false, reason, inQuestion: end.kept };
    },
    strategies: config.strategies.map(({ name }) => name),
    journal: journalFolder(config),
    addGuard: bot.guards === undefined ? undefined : (connection) => bot.guards?.add(connection),
    login: (role) =>
      page()?.loginLink(role) ??
      Promise.reject(new Error("this bot has no page: its configuration has no `dashboard`")),
    status: () => statusOf(snapshot(Number.POSITIVE_INFINITY)),
  };
}
