import { parseFixed, type Fixed } from "../../domain/fixed.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, type Option, text } from "../option.ts";
import {
  changePosition,
  positionMarket,
  reportChanged,
  strategyName,
} from "../position-command.ts";

/** Any amount, also a negative one for a short position. */
const base: Option<Fixed, undefined> = {
  flags: "--base <amount>",
  about: "net base token held; negative for a short position (write --base=-1.5)",
  fallback: undefined,
  parse(written) {
    const value = parseFixed(written);
    if (value === undefined) throw new Error("must be a plain decimal, such as 1.5 or -1.5");
    return value;
  },
};

export default defineCliCommand({
  summary: "set a strategy's position by hand, while its bot is stopped",
  details:
    "Realised PnL and fees stay as they are. The journal records the change, and the next run begins with it. Orders whose executions the next start books on top are named.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    strategy: strategyName,
    market: positionMarket,
    base,
    price: text("--price <price>", "average cost, quote per base; not needed for --base 0"),
  },
  examples: ["position set my-bot.yaml --strategy eth-maker --base 1.5 --price 2000"],
  async run({ args, options, overrides, terminal, env }) {
    const { base: amount } = options;
    if (amount === undefined) throw usageError("Give the position with --base.");
    const price = parseFixed(options.price ?? (amount === 0n ? "0" : ""));
    const isPrice = price !== undefined && (price > 0n || (price === 0n && amount === 0n));
    if (!isPrice) {
      throw usageError("Give the average cost with --price, a plain decimal above 0 such as 2000.");
    }
    const { decimalOf } = await import("../../domain/decimal.ts");
    const { positionSetTo } = await import("../../orders/position-book.ts");
    const changed = await changePosition(args.config, { overrides, env }, options, (found) =>
      positionSetTo(found, amount, decimalOf(price)),
    );
    const { before, after } = changed;
    const cost = after.averagePrice === null ? "" : ` at ${after.averagePrice}`;
    const text = `${after.strategy} in ${after.market} now holds ${after.base}${cost}, before ${before.base}.`;
    reportChanged("position.set", text, changed, terminal);
  },
});
