import { Worker } from "node:worker_threads";
import { TokenBucket } from "../base/token-bucket.ts";
import type { OpenedChannel } from "../config/alerts-config.ts";
import { alertKinds } from "../domain/alert-codes.ts";
import type { RelayedRequest, RelayedResponse } from "../control/relayed-requests.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { threadEnvironment } from "../platform/child-environment.ts";
import { proxyVariables } from "../platform/proxy.ts";
import type { Log } from "../ports/log.ts";
import { systemTimer } from "../platform/timer.ts";
import { settlesWithin } from "../runtime/settles-within.ts";
import type { NewAlert } from "./alert.ts";

export interface AlertThreadData {
  readonly folder: string;
  readonly bot: string;
  readonly channels: readonly OpenedChannel[];
  readonly isBot: boolean;
}

export interface AlertOptions extends AlertThreadData {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `ChatPorts.command`. */
  command(line: string, by: CommandOrigin): Promise<string>;
}

export interface RunningAlerts {
  tell(alert: NewAlert): void;
  /** Sends what can be sent within `limitMs`; the next start sends the rest. */
  close(limitMs: number): Promise<void>;
}

export type AlertThreadMessage =
  | { readonly type: "begun"; readonly isOurs: boolean }
  | { readonly type: "closed" }
  | {
      readonly type: "log";
      readonly level: keyof Log;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly text: string;
    }
  | RelayedRequest;

export type AlertThreadOrder =
  | { readonly type: "alert"; readonly alert: NewAlert }
  | RelayedResponse
  | { readonly type: "close"; readonly limitMs: number };

const MAX_HEAP_MB = 128;
/** Alerts that are not critical: at once, and then per second. */
const RATE = { atOnce: 200, perSecond: 20 };
/** Beyond the limit of a close. */
const CLOSE_MARGIN_MS = 500;

// The built package contains JavaScript.
const thread = import.meta.url.endsWith(".ts") ? "alert-thread.ts" : "alert-thread.js";

/**
 * Sends alerts and takes commands from chats on a thread of its own, so that whatever a channel does, the bot is not slower. What goes
 * wrong is a line in the bot's log, and the bot goes on.
 */
export function startAlerts(options: AlertOptions): RunningAlerts {
  const { log, env, command, folder, bot, channels, isBot } = options;
  const data: AlertThreadData = { folder, bot, channels, isBot };
  const worker = new Worker(new URL(thread, import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    env: { ...threadEnvironment(env), ...proxyVariables(env) },
  });
  worker.unref();
  const rate = new TokenBucket(RATE, performance.now());
  let isFlood = false;
  const order = (next: AlertThreadOrder): void => worker.postMessage(next, []);
  const closed = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
    worker.once("error", (error) => {
      log.error({ err: error }, "alerts are not sent any more, the bot goes on");
      resolve();
    });
    worker.on("message", (message: AlertThreadMessage) => {
      switch (message.type) {
        case "begun":
          if (!message.isOurs)
            log.warn(
              {},
              "another process sends the alerts of this bot or guard: this one sends none",
            );
          return;
        case "closed":
          return resolve();
        case "log":
          return log[message.level](message.fields, message.text);
        case "command":
          void command(message.line, message.by).then((response) =>
            order({ type: "response", id: message.id, response }),
          );
      }
    });
  });
  return {
    tell(alert) {
      const { severity } = alertKinds.get(alert.code) ?? {};
      if (severity === undefined) return;
      if (severity !== "critical" && !rate.take(performance.now())) {
        if (!isFlood) log.warn({ code: "ALERTS_LOST" }, "too many alerts: some are left out");
        isFlood = true;
        return;
      }
      order({ type: "alert", alert });
    },
    async close(limitMs) {
      order({ type: "close", limitMs });
      await settlesWithin(limitMs + CLOSE_MARGIN_MS, closed, systemTimer);
      await worker.terminate();
    },
  };
}
