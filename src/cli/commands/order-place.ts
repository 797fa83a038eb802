import { fixed } from "../../domain/fixed.ts";
import { defineCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { parseLimitPrice } from "../limit-price.ts";
import { type Argument, argument, choice, decimal, flag } from "../option.ts";
import { fateOf, isOver, openWallet, outcomeUnknown } from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

/** A price, or `market`. */
const price: Argument<string> = {
  form: "<price>",
  about: "limit price in quote token, or the word market",
  parse: (written) => (written === "market" ? written : parseLimitPrice(written)),
};

export const orderPlace = defineCommand({
  words: ["order", "place"],
  summary: "place a limit or market order and wait for its fate",
  args: {
    market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)"),
    side: choice("<side>", "buy or sell", ["buy", "sell"]),
    quantity: decimal("<quantity>", "in base token; with --quote in quote token"),
    price,
  },
  options: {
    ...signingOptions,
    quote: flag("--quote", "the quantity is in quote token (market orders only)"),
  },
  examples: [
    "order place 1_2 buy 0.5 1834.5",
    "order place ETH/USDT sell 100 market --quote --signer-env TOUCHLINE_KEY",
  ],
  async run(invocation) {
    const { args, options, terminal, env } = invocation;
    const isMarket = args.price === "market";
    if (options.quote && !isMarket) {
      throw usageError("--quote is for market orders only.", "Write market instead of a price.");
    }
    const { sent, order } = await withVenue(invocation, async (venue) => {
      const wallet = await openWallet(venue, options, env);
      const placed = await wallet.send({
        type: "place",
        marketId: await marketIdOf(venue, args.market),
        side: args.side === "buy" ? "BUY" : "SELL",
        orderType: isMarket ? "MARKET" : "LIMIT",
        orderMode: options.quote ? 1 : 0,
        price: isMarket ? 0 : Number(args.price),
        quantity: fixed(args.quantity),
      });
      // A limit order that rests has met its fate; a market order never rests.
      const isDecided = isMarket
        ? isOver
        : (found: { readonly status: string }) => found.status !== "PENDING_NEW";
      return { sent: placed, order: await fateOf(venue, placed.txHash, isDecided) };
    });
    if (order === undefined && sent.outcome === "unknown") {
      throw outcomeUnknown("took the order", sent.txHash);
    }
    terminal.emit("order.place", order === undefined ? { orderId: sent.txHash } : { ...order });
    if (order === undefined) {
      terminal.print(`Accepted, but the venue does not show it yet: ${sent.txHash}`);
      return exitCode.failed;
    }
    terminal.print(orderTable([order], terminal));
    return order.status === "REJECTED" ? exitCode.failed : exitCode.done;
  },
});
