import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { orderIdArgument } from "../order-command.ts";
import { strategyName } from "../position-command.ts";

export default defineCliCommand({
  summary: "give an order that another program or a person placed to a strategy of a running bot",
  details:
    "Its fills, earlier ones included, count in the strategy's position, and the strategy keeps, replaces or cancels it as its own.",
  args: {
    config: runningBot,
    orderId: orderIdArgument,
  },
  options: { strategy: strategyName },
  examples: [`order take-over my-bot.yaml 0x${"1f".repeat(32)} --strategy eth-maker`],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy } = options;
    if (strategy === undefined) throw usageError("Name the strategy with --strategy.");
    const { config, orderId } = args;
    await askBot(config, { request: { command: "take-over", strategy, orderId }, overrides, env });
    terminal.emit("order.take-over", { strategy, orderId });
    terminal.print(`${orderId} is an order of ${strategy} now.`);
  },
});
