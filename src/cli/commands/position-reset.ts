import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument } from "../option.ts";
import {
  chosenPosition,
  positionFields,
  positionMarket,
  strategyName,
  whileStopped,
  writePosition,
} from "../position-command.ts";

export const positionReset = defineCliCommand({
  words: ["position", "reset"],
  summary: "set a strategy's position, PnL and fees to 0, while its bot is stopped",
  details: "The journal records the change, and the next run begins with it.",
  args: { config: argument("<config>", "YAML file of the bot") },
  options: { strategy: strategyName, market: positionMarket },
  examples: ["position reset my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, terminal, env }) {
    const { flatPosition } = await import("../../orders/position-book.ts");
    const { before, after } = await whileStopped(
      args.config,
      { overrides, env },
      async (opened) => {
        const found = chosenPosition(opened, options);
        const changed = flatPosition(found.strategy, found.marketId);
        await writePosition(opened, changed);
        return { before: positionFields(found), after: positionFields(changed) };
      },
    );
    terminal.emit("position.reset", { ...after, before });
    terminal.print(
      `${after.strategy} in ${after.market} starts again at 0, before ${before.base}.`,
    );
    return exitCode.done;
  },
});
