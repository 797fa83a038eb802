import { TouchlineError } from "../../base/error.ts";
import { usualFlatten } from "../../control/actions.ts";
import { type LeftPosition, MAX_FLATTEN_MS } from "../../control/protocol.ts";
import { parseShare, percentText } from "../../domain/setting.ts";
import type { Bot } from "../../runtime/bot.ts";
import { askBot } from "../control-command.ts";
import { defineCliCommand, type Invocation } from "../command.ts";
import { type ExitCode, exitCode, usageError } from "../exit-code.ts";
import { asPath, argument, durationOption, text, textOr } from "../option.ts";
import { refuseUnknown } from "../position-command.ts";
import type { Terminal } from "../terminal.ts";

/** More is no bound. */
const LIMIT_MAX = 0.5;

export default defineCliCommand({
  summary: "work the positions of a bot off, and keep it from quoting",
  details:
    "Cancels all orders of the strategies, stop orders and exits too, and trades each position towards 0 with takes (docs/takes.md). The strategies are paused " +
    "until `resume`, over restarts too. Without a running bot one is started for it, quotes nothing and ends afterwards. Exit 1 when something is left that could be traded, or an order that may be open.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    strategy: text("--strategy <name>", "only this strategy"),
    limit: textOr(
      "--limit <share>",
      "worst price, as a distance from the touch",
      percentText(usualFlatten.maxSlippage),
    ),
    within: durationOption("--within <time>", "for so long at most, up to 24h; default 10s"),
  },
  examples: [
    "flatten my-bot.yaml",
    "flatten my-bot.yaml --strategy eth-maker --limit 0.2% --within 1m",
  ],
  endsBySignal: true,
  async run({ args, options, ...invocation }) {
    const { strategy, within: withinMs = usualFlatten.withinMs } = options;
    const maxSlippage = parseShare(options.limit);
    if (maxSlippage === undefined || maxSlippage < 0 || maxSlippage > LIMIT_MAX) {
      throw usageError(`--limit ${options.limit} is not a share from 0 to 50%, such as 0.5%.`);
    }
    if (withinMs > MAX_FLATTEN_MS) throw usageError("--within is at most 24h.");
    const terms = { maxSlippage, withinMs };
    const request = { command: "flatten", strategy, ...terms } as const;
    try {
      const { left = [] } = await askBot(args.config, { request, ...invocation });
      return report(left, invocation.terminal);
    } catch (error) {
      if (!(error instanceof TouchlineError) || error.code !== "NO_BOT") throw error;
    }
    return flattenAlone(args.config, { ...terms, strategy }, invocation);
  },
});

/** Runs the bot only to work its positions off. */
async function flattenAlone(
  file: string,
  { strategy, ...terms }: { maxSlippage: number; withinMs: number; strategy: string | undefined },
  invocation: Omit<Invocation<unknown, unknown>, "args" | "options">,
): Promise<ExitCode> {
  const { openLive } = await import("../open-live.ts");
  const { runBot } = await import("../run-bot.ts");
  const { untilFlat } = await import("../../control/respond.ts");
  const { systemTimer } = await import("../../platform/timer.ts");
  const { terminal, interrupt, env } = invocation;
  const opened = await openLive(file, false, invocation);
  if (strategy !== undefined) {
    refuseUnknown(
      strategy,
      opened.config.strategies.map(({ name }) => name),
    );
  }
  terminal.say("No bot is running: this one starts only to work the positions off.");
  let left: readonly LeftPosition[] | undefined;
  let problem = "";
  const follow = async (bot: Bot): Promise<void> => {
    const response = await untilFlat(bot, systemTimer, { strategy, ...terms });
    if (response.ok) ({ left } = response);
    else problem = response.message;
    interrupt.request();
  };
  const ended = await runBot({
    ...opened,
    env,
    terminal,
    interrupt,
    watches: false,
    durationMs: undefined,
    mayMoveDashboard: true,
    begins(bot) {
      const by = { who: "cli", from: "touchline flatten" } as const;
      bot.flatten({ ...terms, isAlone: true }, strategy, by);
      void follow(bot);
    },
  });
  if (left === undefined)
    throw new TouchlineError(
      "FLATTEN_FAILED",
      `${problem === "" ? "The bot was stopped before its positions were worked off" : problem}.`,
    );
  if (ended !== exitCode.done) {
    report(left, terminal);
    return ended;
  }
  // The end of the run has proven that every order has ended.
  return report(
    left.map((one) => ({ ...one, orders: [] })),
    terminal,
  );
}

function report(left: readonly LeftPosition[], terminal: Terminal): ExitCode {
  terminal.emit("flatten", { left });
  for (const { strategy, marketId, position, orders, reason } of left) {
    if (Number(position) !== 0)
      terminal.print(`${position} of ${strategy} in ${marketId} is left: ${reason}`);
    if (orders.length > 0)
      terminal.print(`orders of ${strategy} in ${marketId} may be open: ${orders.join(", ")}`);
  }
  const isDone = left.every(({ isDust, orders }) => isDust && orders.length === 0);
  if (isDone)
    terminal.print("The positions are worked off; `touchline resume` lets the bot quote again.");
  return isDone ? exitCode.done : exitCode.failed;
}
