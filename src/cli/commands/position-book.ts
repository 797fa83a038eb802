import { TouchlineError } from "../../base/error.ts";
import type { HandTrade } from "../../control/protocol.ts";
import { fillText } from "../../domain/order.ts";
import type { Side } from "../../domain/side.ts";
import { defineCliCommand } from "../command.ts";
import { askBot } from "../control-command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, decimal, text, timeOption } from "../option.ts";
import {
  changePosition,
  chosenPosition,
  openPositions,
  positionMarket,
  reportChanged,
  strategyName,
} from "../position-command.ts";

const amount = (flags: string, about: string) => ({
  flags,
  about,
  fallback: undefined,
  parse: decimal(flags, about).parse,
});

export default defineCliCommand({
  summary: "add a trade that was made by hand to a strategy's position",
  details:
    "While the bot runs or is stopped: position, average cost and PnL follow, and the journal keeps it as an input. `trades` and `statement` show it as made by hand. A trade with the same --tx is booked once.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    strategy: strategyName,
    market: positionMarket,
    side: text("--side <side>", "buy or sell"),
    size: amount("--size <amount>", "base token"),
    price: amount("--price <price>", "quote per base"),
    fee: amount("--fee <amount>", "of the token that the trade brought (default 0)"),
    tx: {
      ...text("--tx <id>", "transaction or trade id, as a reference"),
      takesHash: true,
    },
    time: timeOption("--time <time>", "when it was made (default now)"),
  },
  examples: [
    "position book my-bot.yaml --strategy eth-maker --side buy --size 0.5 --price 2000 --tx 0x5c…",
  ],
  async run({ args, options, overrides, terminal, env }) {
    const {
      size: quantity,
      price,
      fee = "0",
      tx: tradeId = "",
      time: timeMs = Date.now(),
    } = options;
    const side = sideOf(options.side);
    if (quantity === undefined || price === undefined) {
      throw usageError("Give the trade with --size and --price.");
    }
    const inputs = { overrides, env };
    const opened = await openPositions(args.config, inputs);
    const { strategy, marketId } = chosenPosition(opened, options);
    const { refuseBooked } = await import("../refuse-booked.ts");
    refuseBooked(opened.carried, tradeId);
    const trade: HandTrade = { marketId, side, price, quantity, fee, timeMs, tradeId };
    const { fillByHand, invalidTrade } = await import("../../control/hand-trade.ts");
    const problem = invalidTrade(trade);
    if (problem !== undefined) throw usageError(`Nothing was booked: ${problem}.`);
    const fill = fillByHand(trade);
    try {
      const request = { command: "book", strategy, trade } as const;
      await askBot(args.config, { request, ...inputs });
      terminal.emit("position.book", { strategy, ...trade });
      terminal.print(
        `The running bot has booked for ${strategy} in ${marketId}: ${fillText(fill)}.`,
      );
      return;
    } catch (error) {
      if (!(error instanceof TouchlineError) || error.code !== "NO_BOT") throw error;
    }
    const { positionAfter } = await import("../../orders/position-book.ts");
    const changed = await changePosition(
      args.config,
      inputs,
      { strategy, market: marketId },
      (found) => positionAfter(found, fill),
      { from: { trade: { strategy, fill } } },
    );
    const { before, after } = changed;
    const line = `${strategy} in ${marketId} now holds ${after.base}, before ${before.base}: ${fillText(fill)}.`;
    reportChanged("position.book", line, changed, terminal);
  },
});

function sideOf(written: string | undefined): Side {
  const side = written?.toUpperCase();
  if (side === "BUY" || side === "SELL") return side;
  throw usageError("Give --side buy or --side sell.");
}
