import { counted } from "../../base/counted.ts";
import { TouchlineError } from "../../base/error.ts";
import type { BotConfig } from "../../config/load-bot-config.ts";
import type { Log } from "../../ports/log.ts";
import type { CanceledOrders } from "../../guard/cancel-held.ts";
import type { GuardState } from "../../guard/order-guard.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { asPath, argument, flag } from "../option.ts";
import type { Terminal } from "../terminal.ts";

export default defineCliCommand({
  summary: "cancel a bot's orders when the bot falls silent",
  details:
    "A process of its own, without a key: it holds signed cancels of the running bot's orders, in memory, and sends them when the bot is killed or hangs. Then it asks the venue about each order and ends: exit 0 when none is open, 1 with the ids of those that may be.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    once: flag("--once", "also end when the bot has stopped with no order left"),
  },
  examples: ["guard my-bot.yaml", "guard my-bot.yaml --once --json"],
  endsBySignal: true,
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { exposures } = await import("../exposed-files.ts");
    const { openLog } = await import("../log.ts");
    const { runGuard } = await import("../run-guard.ts");
    const config = await loadBotConfig(args.config, { overrides, env });
    for (const text of exposures(config)) terminal.warn(text);
    const log = openLog(config.log.level, env);
    const alerts = await openAlerts(config, { env, log });
    const tell = (code: string, text: string): void =>
      alerts?.tell({ code, text, timeMs: Date.now() });
    const end = await runGuard({
      config,
      isOnce: options.once,
      stop: interrupt.stop,
      log,
      report(state) {
        if (state.state === "canceling") tell("BOT_SILENT", textOf(state));
        reportState(state, terminal);
      },
    });
    if (end.type === "canceled") tell("GUARD_CANCELED", canceledText(end.result));
    await alerts?.close();
    if (end.type === "stopped") {
      if (end.orders > 0) {
        const are = end.orders === 1 ? "is" : "are";
        terminal.warn(`${counted(end.orders, "order")} of the bot ${are} not guarded any more`);
      }
      return exitCode.done;
    }
    if (end.type === "goodbye") return exitCode.done;
    return reportEnd(end.result, terminal);
  },
});

function reportState(state: GuardState, terminal: Terminal): void {
  terminal.emit("guard", { ...state });
  terminal.say(textOf(state));
}

function textOf(state: GuardState): string {
  switch (state.state) {
    case "waiting":
      return "No bot is running; waiting for it.";
    case "guarding":
      return `Guarding the orders of ${state.owner}.`;
    case "goodbye":
      return "The bot has stopped; none of its orders is left.";
    case "canceling":
      return `Canceling ${counted(state.orders, "order")}: ${state.reason}.`;
  }
}

function reportEnd(
  result: CanceledOrders,
  terminal: Terminal,
): (typeof exitCode)["done" | "failed"] {
  const { held, left, unheld, isListed } = result;
  const ordersLeft = [...left, ...unheld];
  terminal.emit("guard", { state: "canceled", orders: held, ordersLeft, isVerified: isListed });
  if (ordersLeft.length === 0 && isListed) {
    terminal.say(canceledText(result));
    return exitCode.done;
  }
  terminal.warn(canceledText(result));
  terminal.note(
    "`touchline order open` lists the orders at the venue; the next start of the bot adopts those that are open.",
  );
  return exitCode.failed;
}

function canceledText({ held, left, unheld, isListed }: CanceledOrders): string {
  if (left.length + unheld.length === 0 && isListed) {
    return `None of the bot's orders is left: ${held} were canceled or had ended.`;
  }
  const sentences = [
    left.length === 0 ? "" : `The end of these orders could not be proven: ${left.join(", ")}.`,
    unheld.length === 0
      ? ""
      : `These open orders appeared as the bot fell silent, and the guard has no cancel of them: ${unheld.join(", ")}.`,
    isListed ? "" : "The venue did not list the account's open orders.",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** A guard without its alerts still guards, so what is wrong with them is a warning. */
async function openAlerts(
  config: BotConfig,
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly log: Log },
) {
  const { guardAlerts, LAST_ALERTS_MS } = await import("../bot-alerts.ts");
  try {
    const alerts = guardAlerts(config, options);
    return alerts && { tell: alerts.tell, close: () => alerts.close(LAST_ALERTS_MS) };
  } catch (thrown) {
    if (!(thrown instanceof TouchlineError)) throw thrown;
    options.log.warn({ code: thrown.code }, `this guard sends no alerts: ${thrown.message}`);
    return undefined;
  }
}
