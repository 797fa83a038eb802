import { askBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { asPath, argument } from "../option.ts";
import { tunedText } from "../tuned-text.ts";

export default defineCliCommand({
  summary: "let a running bot take the parameters that its file has now",
  details:
    "The whole file is checked as at the start. Only parameters of strategies change in a run: a file with a mistake, or with another change, changes nothing, and the error says why. " +
    "SIGHUP does the same in a bot without a terminal, and so does each change of the file with `run --watch` or `paper --watch`.",
  args: { config: asPath(argument("<config>", "YAML file of the running bot")) },
  examples: ["reload my-bot.yaml"],
  async run({ args, overrides, env, terminal }) {
    const { tuned } = await askBot(args.config, { request: { command: "reload" }, overrides, env });
    const { changed = [], warnings = [] } = tuned ?? {};
    terminal.emit("reload", { changed, warnings });
    for (const warning of warnings) terminal.warn(warning);
    terminal.print(tunedText(changed));
  },
});
