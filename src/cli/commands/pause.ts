import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { text } from "../option.ts";

export default defineCliCommand({
  summary: "cancel a running bot's quotes and keep it running",
  details:
    "Stop orders, take profits and stop losses stay. Ends with `resume`. Exit 0 once the quotes have ended.",
  args: { config: runningBot },
  options: { strategy: text("--strategy <name>", "pause only this strategy") },
  examples: ["pause my-bot.yaml", "pause my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy } = options;
    await askBot(args.config, { request: { command: "pause", strategy }, overrides, env });
    terminal.emit("pause", { strategy: strategy ?? null });
    terminal.print(`${strategy ?? "The bot"} is paused; its quotes are canceled.`);
  },
});
