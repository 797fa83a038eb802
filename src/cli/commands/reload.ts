import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { reportTuned } from "../report-tuned.ts";

export default defineCliCommand({
  summary: "let a running bot take the parameters that its file has now",
  details:
    "The whole file is checked as at the start. Only parameters of strategies change in a run: a file with a mistake, or with another change, changes nothing, and the error says why. " +
    "SIGHUP does the same in a bot without a terminal, and so does each change of the file with `run --watch` or `paper --watch`.",
  args: { config: runningBot },
  examples: ["reload my-bot.yaml"],
  async run({ args, overrides, env, terminal }) {
    const request = { command: "reload" } as const;
    const response = await askBot(args.config, { request, overrides, env });
    const { tuned = { changed: [], warnings: [] } } = response;
    terminal.emit("reload", { ...tuned });
    reportTuned(tuned, terminal);
  },
});
