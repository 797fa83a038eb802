import {
  fixedFromNumber,
  mulFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { tokensOf, type MarketId, type TokenId } from "../domain/ids.ts";
import { isContingent, type AccountEvent, type OrderEvent } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import { missingOf, remainingOf, type TrackedOrder } from "./tracked-order.ts";

/** What something changed of one token. */
export interface BalanceChange {
  readonly tokenId: TokenId;
  readonly locked: Fixed;
  readonly unlocked: Fixed;
}

/** What the venue locks for one of our orders that rests. */
export function needOf(order: TrackedOrder): { readonly tokenId: TokenId; readonly amount: Fixed } {
  return lockOf(order.marketId, order.side, fixedFromNumber(order.price), remainingOf(order));
}

/** What one of our orders may still pay, or has paid in fills that are not known. */
export function unpaidOf(order: TrackedOrder): {
  readonly tokenId: TokenId;
  readonly amount: Fixed;
} {
  const quantity =
    order.phase === "ended" ? missingOf(order) : subFixed(order.quantity, order.filled);
  return lockOf(order.marketId, order.side, fixedFromNumber(order.price), quantity);
}

/** What an ORDER event changed (§6.4, D18, D19). */
export function orderChanges(event: OrderEvent): readonly BalanceChange[] {
  const { order, eventType } = event;
  if (eventType === "TRADE") return tradeChanges(event);
  // Market orders lock nothing that stays; TRIGGER and REJECTED move nothing.
  if (order.price === ZERO || (eventType !== "NEW" && eventType !== "CANCEL")) return [];
  // A leg's cancel frees what it shares with its pair, or nothing: never count on money that may still be locked.
  if (eventType === "CANCEL" && isContingent(order.orderType)) return [];
  const quantity = eventType === "NEW" ? order.origQty : subFixed(order.origQty, order.executedQty);
  const { tokenId, amount } = lockOf(order.marketId, order.side, order.price, quantity);
  return eventType === "NEW"
    ? [{ tokenId, locked: amount, unlocked: negFixed(amount) }]
    : [{ tokenId, locked: negFixed(amount), unlocked: amount }];
}

/** What an ACCOUNT event changed (§6.4). */
export function accountChanges(event: AccountEvent): readonly BalanceChange[] {
  const { eventType, tokenId, account, fromAddress, toAddress } = event;
  // Both events of a transfer to oneself look alike and cancel out.
  if (eventType === "TRANSFER" && fromAddress === toAddress) return [];
  const isOut = eventType === "WITHDRAW" || (eventType === "TRANSFER" && toAddress !== account);
  return [{ tokenId, locked: ZERO, unlocked: isOut ? negFixed(event.amount) : event.amount }];
}

/** Pays, receives, pays the fee; a price better than the order's own releases the difference at once. */
function tradeChanges({ order, fill }: OrderEvent): readonly BalanceChange[] {
  if (fill === undefined) return [];
  const { base, quote } = tokensOf(fill.marketId);
  const value = mulFixed(fill.price, fill.quantity);
  const [given, taken] = fill.side === "BUY" ? [value, fill.quantity] : [fill.quantity, value];
  const [givenToken, takenToken] = fill.side === "BUY" ? [quote, base] : [base, quote];
  const locked =
    order.price === ZERO
      ? ZERO
      : lockOf(fill.marketId, fill.side, order.price, fill.quantity).amount;
  return [
    { tokenId: givenToken, locked: negFixed(locked), unlocked: subFixed(locked, given) },
    { tokenId: takenToken, locked: ZERO, unlocked: taken },
    { tokenId: fill.feeToken, locked: ZERO, unlocked: negFixed(fill.fee) },
  ];
}

/** D19: a limit buy locks price × quantity of quote, a limit sell its quantity of base. */
function lockOf(
  marketId: MarketId,
  side: Side,
  price: Fixed,
  quantity: Fixed,
): { readonly tokenId: TokenId; readonly amount: Fixed } {
  const { base, quote } = tokensOf(marketId);
  return side === "BUY"
    ? { tokenId: quote, amount: mulFixed(price, quantity) }
    : { tokenId: base, amount: quantity };
}
