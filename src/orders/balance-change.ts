import {
  addFixed,
  fixedFromNumber,
  maxFixed,
  mulFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { tokensOf, type MarketId, type TokenId } from "../domain/ids.ts";
import { isContingent, type AccountEvent, type OrderEvent } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import {
  isDormant,
  missingOf,
  pairOf,
  remainingOf,
  standsForPair,
  type TrackedOrder,
} from "./tracked-order.ts";

/** What something changed of one token. */
export interface BalanceChange {
  readonly tokenId: TokenId;
  readonly locked: Fixed;
  readonly unlocked: Fixed;
}

/** An amount of one token. */
export interface Need {
  readonly tokenId: TokenId;
  readonly amount: Fixed;
}

/** What the venue locks for one of our orders that rests or waits. The legs of a pair share the larger need of the two (D25). */
export function needOf(order: TrackedOrder): Need {
  return order.leg === undefined
    ? needFor(order, remainingOf(order))
    : pairNeed(order, (leg) => remainingOf(leg));
}

/** What one of our orders may still pay, or has paid in fills that are not known. */
export function unpaidOf(order: TrackedOrder): Need {
  if (order.phase === "ended") return needFor(order, missingOf(order));
  if (order.leg === undefined) return needFor(order, subFixed(order.quantity, order.filled));
  return pairNeed(order, (leg) => addFixed(remainingOf(leg), missingOf(leg)));
}

/** D19, D24: a stop market buy needs its worth at the stop price. */
function needFor(order: TrackedOrder, quantity: Fixed): Need {
  const { marketId, side, price, trigger } = order;
  const worth = price > 0 ? price : (trigger?.stopPrice ?? 0);
  return lockOf(marketId, side, fixedFromNumber(worth), quantity);
}

/**
 * Told of the leg that stands for the pair; 0 of the other. Until it may be placed, only what the order before it does not bring in
 * from now on: what that has brought in already waits for the legs, and nothing else may use it.
 */
function pairNeed(order: TrackedOrder, quantityOf: (leg: TrackedOrder) => Fixed): Need {
  const own = needFor(order, quantityOf(order));
  if (!standsForPair(order)) return { tokenId: own.tokenId, amount: ZERO };
  const pair = pairOf(order);
  const isPairLive = pair !== undefined && pair.phase !== "ended";
  const amount = isPairLive
    ? maxFixed(own.amount, needFor(pair, quantityOf(pair)).amount)
    : own.amount;
  const working = order.bracket?.working;
  if (working === undefined || !isDormant(order)) return { tokenId: own.tokenId, amount };
  const brings =
    working.side === "SELL"
      ? mulFixed(fixedFromNumber(working.price), remainingOf(working))
      : remainingOf(working);
  return { tokenId: own.tokenId, amount: maxFixed(ZERO, subFixed(amount, brings)) };
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
function lockOf(marketId: MarketId, side: Side, price: Fixed, quantity: Fixed): Need {
  const { base, quote } = tokensOf(marketId);
  return side === "BUY"
    ? { tokenId: quote, amount: mulFixed(price, quantity) }
    : { tokenId: base, amount: quantity };
}
