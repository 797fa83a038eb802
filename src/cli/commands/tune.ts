import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { argument, argumentList } from "../option.ts";
import { reportTuned } from "../report-tuned.ts";

export default defineCliCommand({
  summary: "change parameters of a running bot's strategy",
  details:
    "The parameters are checked as at the start, and all of them are taken between two decisions, or none. Orders that fit the next decision stay. " +
    "The file is not changed: `reload` and the next start take what it says.",
  args: {
    config: runningBot,
    strategy: argument("<strategy>", "name of the strategy"),
    settings: argumentList(
      "<settings...>",
      "key=value of parameters; nested keys with points, values as in YAML",
    ),
  },
  examples: ["tune my-bot.yaml eth-maker bidSpread=0.2% askSpread=0.2%"],
  async run({ args, overrides, env, terminal }) {
    const { strategy, settings } = args;
    const request = { command: "tune", strategy, settings } as const;
    const response = await askBot(args.config, { request, overrides, env });
    const { tuned = { changed: [], warnings: [] } } = response;
    terminal.emit("tune", { strategy, ...tuned });
    reportTuned(tuned, terminal);
  },
});
