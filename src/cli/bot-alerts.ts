import path from "node:path";
import { alertsOf } from "../alerts/alerts-of.ts";
import type { NewAlert } from "../alerts/alert.ts";
import { type AlertOptions, type RunningAlerts, startAlerts } from "../alerts/start-alerts.ts";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { openChannel } from "../config/alerts-config.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { Bot, BotEnd } from "../runtime/bot.ts";
import { codeVersion } from "./version.ts";

/** A stop waits no longer than this for the last alerts. */
export const LAST_ALERTS_MS = 1_500;

/** The alerts of one run of a bot, from before its start to after its end. */
export class BotAlerts {
  readonly #alerts: RunningAlerts;

  private constructor(alerts: RunningAlerts) {
    this.#alerts = alerts;
  }

  /** Undefined without channels. Throws `ALERT_SECRET`. */
  static open(
    config: Pick<BotConfig, "alerts" | "file" | "journal">,
    options: Pick<AlertOptions, "env" | "log" | "command">,
  ): BotAlerts | undefined {
    const started = alertsIn("alerts", config, { ...options, isBot: true });
    return started === undefined ? undefined : new BotAlerts(started);
  }

  /** Before the bot's first step. */
  follow(bot: Bot): void {
    bot.observers.on((entry) => {
      for (const alert of alertsOf(entry, bot.markets)) this.#alerts.tell(alert);
    });
    const markets = bot.markets.map(({ marketId, ticker }) => `${marketId} ${ticker}`).join(", ");
    this.#tell("BOT_STARTED", `${codeVersion()} runs for ${bot.owner} in ${markets}`);
  }

  notStarted(thrown: unknown): void {
    if (thrown instanceof TouchlineError && thrown.code === "INTERRUPTED") return;
    this.#tell("BOT_NOT_STARTED", errorText(thrown));
  }

  /** `failure`: an error that nothing caught. */
  ended({ ok, reason, inQuestion }: BotEnd, failure: string | undefined): void {
    const orders = inQuestion.length === 0 ? "" : `; orders in question: ${inQuestion.join(", ")}`;
    const isWell = ok && failure === undefined;
    this.#tell(isWell ? "BOT_STOPPED" : "BOT_ENDED", `${failure ?? reason}${orders}`);
  }

  close(): Promise<void> {
    return this.#alerts.close(LAST_ALERTS_MS);
  }

  #tell(code: NewAlert["code"], text: string): void {
    this.#alerts.tell({ code, text, timeMs: Date.now() });
  }
}

/** The alerts of a guard, which has an outbox of its own and takes no commands. Undefined without channels. Throws `ALERT_SECRET`. */
export function guardAlerts(
  config: Parameters<typeof BotAlerts.open>[0],
  options: Pick<AlertOptions, "env" | "log">,
): RunningAlerts | undefined {
  const command = (): Promise<string> => Promise.reject(new Error("a guard takes no commands"));
  return alertsIn("guard-alerts", config, { ...options, command, isBot: false });
}

function alertsIn(
  name: string,
  { alerts, file, journal }: Parameters<typeof BotAlerts.open>[0],
  options: Pick<AlertOptions, "env" | "log" | "command" | "isBot">,
): RunningAlerts | undefined {
  if (alerts.length === 0) return undefined;
  const channels = alerts.map((channel) => openChannel(channel, options.env));
  const folder = path.join(journal.path, name);
  return startAlerts({ ...options, folder, bot: botName(file), channels });
}

/** A bot in messages: its file's name. */
export function botName(file: string): string {
  return path.basename(file).replace(/\.ya?ml$/i, "");
}
