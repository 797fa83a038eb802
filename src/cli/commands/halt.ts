import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { MAX_TEXT_LENGTH } from "../../control/protocol.ts";
import { usageError } from "../exit-code.ts";
import { text, textOr } from "../option.ts";

export default defineCliCommand({
  summary: "cancel all orders of a running bot or of one strategy, and keep it from quoting",
  details:
    "It also cancels stop orders, take profits and stop losses, and lasts over restarts until the `resume` of the bot or of the strategy. A file named HALT in the journal's folder does the same.",
  args: { config: runningBot },
  options: {
    strategy: text("--strategy <name>", "halt only this strategy"),
    reason: textOr("--reason <text>", "shown in the log and on the page", "halted by its operator"),
  },
  examples: ["halt my-bot.yaml --reason news", "halt my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy, reason } = options;
    if (reason === "" || reason.length > MAX_TEXT_LENGTH) {
      throw usageError(`--reason must have 1 to ${MAX_TEXT_LENGTH} characters.`);
    }
    await askBot(args.config, { request: { command: "halt", strategy, reason }, overrides, env });
    terminal.emit("halt", { strategy: strategy ?? null, reason });
    const until = strategy === undefined ? "resume" : `resume --strategy ${strategy}`;
    terminal.print(
      `${strategy ?? "The bot"} is halted: its orders are canceled, and it quotes nothing until \`touchline ${until}\`.`,
    );
  },
});
