import { amountOf, limitOrder, marketOrder } from "../../sdk/order-context.ts";
import { defineCliCommand } from "../command.ts";
import { yesOption } from "../confirm.ts";
import { usageError } from "../exit-code.ts";
import { priceArgument, priceOption } from "../limit-price.ts";
import { isMarketOrder, placementArguments, placeOrder, quoteOption } from "../place-order.ts";
import { signingOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "place a limit or market order and wait for the result",
  args: {
    ...placementArguments,
    price: priceArgument("limit price in quote token, or the word market"),
  },
  options: {
    ...signingOptions,
    quote: quoteOption,
    yes: yesOption,
    takeProfit: priceOption(
      "--take-profit <price>",
      "after a fill, close with a limit order at this price (with --stop-loss)",
    ),
    stopLoss: priceOption(
      "--stop-loss <price>",
      "after a fill, close when a trade reaches this price (with --take-profit)",
    ),
    stopLimit: priceOption(
      "--stop-limit <price>",
      "limit price of the stop loss (default: a market order)",
    ),
  },
  examples: [
    "order place 1_2 buy 0.5 1834.5",
    "order place ETH/USDT sell 100 market --quote --signer-env TOUCHLINE_KEY",
    "order place 1_2 buy 0.5 1834.5 --take-profit 1900 --stop-loss 1800",
  ],
  async run(invocation) {
    const { args, options } = invocation;
    const { quantity, price } = args;
    const isMarket = isMarketOrder(price, options.quote);
    const tpsl = tpslOf(options, isMarket);
    return placeOrder(invocation, {
      name: "order",
      ...args,
      tpsl,
      mayRest: !isMarket,
      context: (marketId, side) =>
        isMarket
          ? marketOrder({ marketId, side, ...amountOf(quantity, options.quote) })
          : limitOrder({ marketId, side, price, quantity, tpsl }),
    });
  },
});

/** Both or neither must be given (§4.4). The venue checks that they are on the right side of the price (D25). */
function tpslOf(
  options: {
    readonly takeProfit: string | undefined;
    readonly stopLoss: string | undefined;
    readonly stopLimit: string | undefined;
  },
  isMarket: boolean,
) {
  const { takeProfit, stopLoss, stopLimit } = options;
  if (takeProfit === undefined && stopLoss === undefined && stopLimit === undefined) {
    return undefined;
  }
  if (isMarket) throw usageError("--take-profit and --stop-loss belong to limit orders.");
  if (takeProfit === undefined || stopLoss === undefined) {
    throw usageError("The venue accepts --take-profit and --stop-loss only together.");
  }
  return {
    tpLimit: takeProfit,
    slTrigger: stopLoss,
    ...(stopLimit === undefined ? {} : { slLimit: stopLimit }),
  };
}
