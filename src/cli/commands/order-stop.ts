import { amountOf, stopOrder } from "../../sdk/order-context.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { parseLimitPrice, priceArgument } from "../limit-price.ts";
import { argument, choice, decimal, flag } from "../option.ts";
import { awaitOrder, openCliWallet, outcomeUnknown } from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { orderRejected } from "../rejection.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "place a stop order, which waits for a trade at its stop price",
  args: {
    market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)"),
    side: choice("<side>", "buy or sell", ["buy", "sell"]),
    quantity: decimal("<quantity>", "quantity in base token, or in quote token with --quote"),
    stopPrice: {
      form: "<stop-price>",
      about: "a trade that reaches this price from the last price activates the order",
      parse: parseLimitPrice,
    },
    price: priceArgument("limit price of the activated order, or the word market"),
  },
  options: {
    ...signingOptions,
    quote: flag("--quote", "the quantity is in quote token (market orders only)"),
  },
  examples: ["order stop 1_2 sell 0.5 1800 market", "order stop ETH/USDT buy 0.5 1900 1905"],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const isMarket = args.price === "market";
    if (options.quote && !isMarket) {
      throw usageError("--quote is for market orders only.", "Write market instead of a price.");
    }
    const { sent, order, rejection } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const { quantity, stopPrice } = args;
      const placed = await wallet.send(
        "stop",
        stopOrder({
          marketId: await marketIdOf(venue, args.market),
          side: args.side === "buy" ? "BUY" : "SELL",
          stopPrice,
          ...(isMarket ? amountOf(quantity, options.quote) : { price: args.price, quantity }),
        }),
      );
      const isDecided = (found: { readonly status: string }) => found.status !== "PENDING_NEW";
      const fate = await awaitOrder(venue, placed.txHash, isDecided);
      return {
        sent: placed,
        order: fate,
        rejection: fate?.status === "REJECTED" ? await orderRejected(venue, fate) : undefined,
      };
    });
    if (order === undefined && sent.outcome === "unknown") {
      throw outcomeUnknown("took the stop order", sent.txHash);
    }
    terminal.emit("order.stop", { orderId: sent.txHash, ...order });
    if (order === undefined) {
      terminal.print(`Accepted, but the venue does not show it yet: ${sent.txHash}`);
      return exitCode.failed;
    }
    terminal.print(orderTable([order], terminal));
    if (rejection !== undefined) throw rejection;
    return exitCode.done;
  },
});
