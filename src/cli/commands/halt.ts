import { askBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { MAX_TEXT_LENGTH } from "../../control/protocol.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, textOr } from "../option.ts";

export default defineCliCommand({
  summary: "cancel all orders of a running bot and keep it from quoting",
  details:
    "It also cancels stop orders, take profits and stop losses, and lasts over restarts until `resume`. A file named HALT in the journal's folder does the same.",
  args: { config: asPath(argument("<config>", "YAML file of the running bot")) },
  options: {
    reason: textOr("--reason <text>", "shown in the log and on the page", "halted by its operator"),
  },
  examples: ["halt my-bot.yaml", "halt my-bot.yaml --reason news"],
  async run({ args, options, overrides, env, terminal }) {
    const { reason } = options;
    if (reason === "" || reason.length > MAX_TEXT_LENGTH) {
      throw usageError(`--reason must have 1 to ${MAX_TEXT_LENGTH} characters.`);
    }
    await askBot(args.config, { request: { command: "halt", reason }, overrides, env });
    terminal.emit("halt", { reason });
    terminal.print(
      "The bot is halted: its orders are canceled, and it quotes nothing until `touchline resume`.",
    );
  },
});
