import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { counted } from "../../base/counted.ts";
import { flag } from "../option.ts";

export default defineCliCommand({
  summary: "end a running bot as Ctrl-C does",
  details:
    "Exit 0 once the bot has ended with no order of its own left. With --keep-orders it leaves open the orders that its strategies want, and names them: " +
    "the next start takes them over and cancels only those that no longer fit. Nothing watches them meanwhile, so start it again soon.",
  args: { config: runningBot },
  options: { keepOrders: flag("--keep-orders", "leave its orders open for the next start") },
  examples: ["stop my-bot.yaml", "stop my-bot.yaml --keep-orders"],
  async run({ args, options, overrides, env, terminal }) {
    const request = { command: "stop", keepsOrders: options.keepOrders } as const;
    const { ordersKept = [] } = await askBot(args.config, { request, overrides, env });
    terminal.emit("stop", { ordersKept });
    terminal.print(
      ordersKept.length === 0
        ? "The bot has stopped; none of its orders is left."
        : `The bot has stopped and left ${counted(ordersKept.length, "order")} open: ${ordersKept.join(", ")}. Its next start takes them over.`,
    );
  },
});
