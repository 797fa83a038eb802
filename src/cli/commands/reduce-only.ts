import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { text } from "../option.ts";

export default defineCliCommand({
  summary: "let a running bot only reduce its positions",
  details:
    "As the step `reduceOnly` of the risk ladder: only orders that bring a position nearer to 0 stay and are placed. It lasts over restarts and ends with `resume`.",
  args: { config: runningBot },
  options: { strategy: text("--strategy <name>", "only this strategy") },
  examples: ["reduce-only my-bot.yaml", "reduce-only my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy } = options;
    await askBot(args.config, { request: { command: "reduce-only", strategy }, overrides, env });
    terminal.emit("reduce-only", { strategy: strategy ?? null });
    terminal.print(
      `${strategy ?? "The bot"} only reduces its positions until \`touchline resume\`.`,
    );
  },
});
