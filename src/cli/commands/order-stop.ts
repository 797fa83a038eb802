import { amountOf, stopOrder } from "../../sdk/order-context.ts";
import { defineCliCommand } from "../command.ts";
import { yesOption } from "../confirm.ts";
import { parseLimitPrice, priceArgument } from "../limit-price.ts";
import { isMarketOrder, placementArguments, placeOrder, quoteOption } from "../place-order.ts";
import { signingOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "place a stop order, which waits for a trade at its stop price",
  args: {
    ...placementArguments,
    stopPrice: {
      form: "<stop-price>",
      about: "a trade that reaches this price from the last price activates the order",
      parse: parseLimitPrice,
    },
    price: priceArgument("limit price of the activated order, or the word market"),
  },
  options: { ...signingOptions, quote: quoteOption, yes: yesOption },
  examples: ["order stop 1_2 sell 0.5 1800 market", "order stop ETH/USDT buy 0.5 1900 1905"],
  async run(invocation) {
    const { args, options } = invocation;
    const { quantity, price, stopPrice } = args;
    const isMarket = isMarketOrder(price, options.quote);
    const terms = isMarket ? amountOf(quantity, options.quote) : { price, quantity };
    return placeOrder(invocation, {
      name: "stop",
      ...args,
      mayRest: true,
      context: (marketId, side) => stopOrder({ marketId, side, stopPrice, ...terms }),
    });
  },
});
