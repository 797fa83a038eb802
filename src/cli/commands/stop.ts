import { askBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { argument } from "../option.ts";

export default defineCliCommand({
  summary: "end a running bot as Ctrl-C does",
  details: "Exit 0 once the bot has ended with no order of its own left.",
  args: { config: argument("<config>", "YAML file of the running bot") },
  examples: ["stop my-bot.yaml"],
  async run({ args, overrides, env, terminal }) {
    await askBot(args.config, { request: { command: "stop" }, overrides, env });
    terminal.emit("stop", {});
    terminal.print("The bot has stopped; none of its orders is left.");
  },
});
