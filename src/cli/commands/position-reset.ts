import { defineCliCommand } from "../command.ts";
import { asPath, argument } from "../option.ts";
import {
  changePosition,
  positionMarket,
  reportChanged,
  strategyName,
} from "../position-command.ts";

export default defineCliCommand({
  summary: "set a strategy's position, PnL and fees to 0, while its bot is stopped",
  details:
    "The journal records the change, and the next run begins with it. Orders whose executions the next start books on top are named.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: { strategy: strategyName, market: positionMarket },
  examples: ["position reset my-bot.yaml --strategy eth-maker"],
  async run({ args, options, overrides, terminal, env }) {
    const { importsCleared } = await import("../imported-positions.ts");
    const { flatPosition } = await import("../../orders/position-book.ts");
    const changed = await changePosition(
      args.config,
      { overrides, env },
      options,
      ({ strategy, marketId }) => flatPosition(strategy, marketId),
      { imports: importsCleared },
    );
    const { before, after } = changed;
    const text = `${after.strategy} in ${after.market} starts again at 0, before ${before.base}.`;
    reportChanged("position.reset", text, changed, terminal);
  },
});
