import type { Resumed } from "../../control/protocol.ts";
import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { flag, text } from "../option.ts";

/** What the resume did, for people. */
function resumedText(
  file: string,
  strategy: string | undefined,
  { lifted, remaining, stopped }: Resumed,
): string {
  const who = strategy ?? "The bot";
  const itself = strategy ?? "the bot as a whole";
  return [
    // What was ended may be a step that held back no quote.
    lifted.length > 0
      ? `${who} was resumed.`
      : remaining.length > 0
        ? `Nothing of ${itself} was to be ended; ${remaining.join(", ")} holds on.`
        : `${who} was neither paused, halted nor restricted: nothing was ended.`,
    ...lifted.map((sentence) => `  ended: ${sentence}`),
    ...(lifted.length > 0 ? remaining : []).map((sentence) => `  not ended: ${sentence}`),
    ...stopped.map((name) => `  touchline resume ${file} --strategy ${name}`),
  ].join("\n");
}

export default defineCliCommand({
  summary: "let a paused or halted bot quote again",
  details:
    "It ends what it names: the halt and the pause of the bot, or with `--strategy` those of one strategy, and says what is left. Steps of the risk ladder end, too; while a trigger would act again at once, nothing is resumed without `--force`.",
  args: { config: runningBot },
  options: {
    strategy: text("--strategy <name>", "resume only this strategy"),
    force: flag("--force", "count losses and windows of the risk ladder from zero from now on"),
  },
  examples: ["resume my-bot.yaml", "resume my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, env, terminal }) {
    const { strategy, force } = options;
    const request = { command: "resume", strategy, force } as const;
    const { resumed = { lifted: [], remaining: [], stopped: [] } } = await askBot(args.config, {
      request,
      overrides,
      env,
    });
    terminal.emit("resume", { strategy: strategy ?? null, ...resumed });
    terminal.print(resumedText(args.config, strategy, resumed));
  },
});
