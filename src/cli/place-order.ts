import { type MarketId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import type { Side } from "../domain/side.ts";
import type { ContextInput } from "../sdk/sign-transaction.ts";
import type { WalletCommands } from "../sdk/wallet.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireOrder } from "../spec/resources.ts";
import { confirmFarPrice } from "./far-price.ts";
import { type ExitCode, exitCode, usageError } from "./exit-code.ts";
import { argument, choice, decimal, flag } from "./option.ts";
import {
  awaitOrder,
  isOver,
  openCliWallet,
  outcomeUnknown,
  type CliSigning,
} from "./order-command.ts";
import { orderTable } from "./order-list.ts";
import { type LegPrices, orderRejected } from "./rejection.ts";
import { marketIdOf, withVenue } from "./venue-access.ts";

/** What `order place` and `order stop` have in common. */

export const placementArguments = {
  market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)"),
  side: choice("<side>", "buy or sell", ["buy", "sell"]),
  quantity: decimal("<quantity>", "quantity in base token, or in quote token with --quote"),
};

export const quoteOption = flag("--quote", "the quantity is in quote token (market orders only)");

/** Whether the price is the word market. Throws a usage error for a limit order with `--quote`. */
export function isMarketOrder(price: string, isQuote: boolean): boolean {
  if (isQuote && price !== "market") {
    throw usageError("--quote is for market orders only.", "Write market instead of a price.");
  }
  return price === "market";
}

interface Placement<Name extends "order" | "stop"> {
  readonly name: Name;
  readonly market: string;
  readonly side: "buy" | "sell";
  readonly tpsl?: LegPrices | undefined;
  /** A limit order and a stop order are decided once they rest; a market order never rests. */
  readonly mayRest: boolean;
  context(marketId: MarketId, side: Side): ContextInput<WalletCommands[Name]>;
}

/** Places an order, waits for its result and shows it with its legs. Throws when the venue rejected it. */
export async function placeOrder<Name extends "order" | "stop">(
  invocation: CliSigning &
    Parameters<typeof withVenue>[0] & { readonly options: { readonly yes: boolean } },
  { name, market, side, tpsl, mayRest, context }: Placement<Name>,
): Promise<ExitCode> {
  const { terminal } = invocation;
  const { sent, order, legs, rejection } = await withVenue(invocation, async (venue) => {
    const wallet = await openCliWallet(venue, invocation);
    const marketId = await marketIdOf(venue, market);
    const terms = context(marketId, side === "buy" ? "BUY" : "SELL");
    if (terms.orderType === 0 && !invocation.options.yes) {
      const { price, stopPrice } = { stopPrice: undefined, ...terms };
      await confirmFarPrice(venue, { marketId, isBuy: side === "buy", price, stopPrice });
    }
    const placed = await wallet.send(name, terms);
    const isDecided = (found: WireOrder) =>
      mayRest ? found.status !== "PENDING_NEW" : isOver(found);
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
    throw outcomeUnknown(name === "order" ? "took the order" : "took the stop order", sent.txHash);
  }
  const legFields = tpsl === undefined ? {} : { legs };
  const event = name === "order" ? "order.place" : "order.stop";
  terminal.emit(event, { orderId: sent.txHash, ...order, ...legFields });
  if (order === undefined) {
    terminal.print(`Accepted, but the venue does not show it yet: ${sent.txHash}`);
    return exitCode.failed;
  }
  terminal.print(orderTable([order, ...legs], terminal));
  if (rejection !== undefined) throw rejection;
  return exitCode.done;
}
