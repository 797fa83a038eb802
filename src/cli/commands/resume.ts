import { askBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument, text } from "../option.ts";

export const resume = defineCliCommand({
  words: ["resume"],
  summary: "let a paused or halted bot quote again",
  details: "Without `--strategy` it ends a halt and every pause.",
  args: { config: argument("<config>", "YAML file of the running bot") },
  options: { strategy: text("--strategy <name>", "resume only this strategy") },
  examples: ["resume my-bot.yaml", "resume my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy } = options;
    const only = strategy === undefined ? {} : { strategy };
    await askBot(args.config, { request: { command: "resume", ...only }, overrides, env });
    terminal.emit("resume", { strategy: strategy ?? null });
    terminal.print(`${strategy ?? "The bot"} may quote again.`);
    return exitCode.done;
  },
});
