import { amountOf, limitOrder, marketOrder } from "../../sdk/order-context.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { legIdsOf } from "../../domain/leg-ids.ts";
import { endpoints } from "../../spec/endpoints.ts";
import { priceArgument, priceOption } from "../limit-price.ts";
import { argument, choice, decimal, flag } from "../option.ts";
import { awaitOrder, isOver, openCliWallet, outcomeUnknown } from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { orderRejected } from "../rejection.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "place a limit or market order and wait for the result",
  args: {
    market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)"),
    side: choice("<side>", "buy or sell", ["buy", "sell"]),
    quantity: decimal("<quantity>", "quantity in base token, or in quote token with --quote"),
    price: priceArgument("limit price in quote token, or the word market"),
  },
  options: {
    ...signingOptions,
    quote: flag("--quote", "the quantity is in quote token (market orders only)"),
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
    const { args, options, terminal } = invocation;
    const isMarket = args.price === "market";
    if (options.quote && !isMarket) {
      throw usageError("--quote is for market orders only.", "Write market instead of a price.");
    }
    const tpsl = tpslOf(options, isMarket);
    const { sent, order, legs, rejection } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const { price, quantity } = args;
      const marketId = await marketIdOf(venue, args.market);
      const side = args.side === "buy" ? "BUY" : "SELL";
      const placed = await wallet.send(
        "order",
        isMarket
          ? marketOrder({ marketId, side, ...amountOf(quantity, options.quote) })
          : limitOrder({ marketId, side, price, quantity, tpsl }),
      );
      // A limit order is decided once it rests; a market order never rests.
      const isDecided = isMarket
        ? isOver
        : (found: { readonly status: string }) => found.status !== "PENDING_NEW";
      const fate = await awaitOrder(venue, placed.txHash, isDecided);
      const ids = tpsl === undefined ? [] : Object.values(legIdsOf(placed.txHash));
      const found = await Promise.all(
        ids.map((orderId) => venue.find(endpoints["order-show"], { orderId })),
      );
      return {
        sent: placed,
        order: fate,
        legs: found.filter((leg) => leg !== undefined),
        rejection: fate?.status === "REJECTED" ? await orderRejected(venue, fate, tpsl) : undefined,
      };
    });
    if (order === undefined && sent.outcome === "unknown") {
      throw outcomeUnknown("took the order", sent.txHash);
    }
    const legFields = tpsl === undefined ? {} : { legs };
    terminal.emit("order.place", { orderId: sent.txHash, ...order, ...legFields });
    if (order === undefined) {
      terminal.print(`Accepted, but the venue does not show it yet: ${sent.txHash}`);
      return exitCode.failed;
    }
    terminal.print(orderTable([order, ...legs], terminal));
    if (rejection !== undefined) throw rejection;
    return exitCode.done;
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
