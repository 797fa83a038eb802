import {
  addFixed,
  maxFixed,
  mulFixed,
  mulNumber,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { tokensOf, type MarketId, type TokenId } from "../domain/ids.ts";
import { isContingent, type AccountEvent, type Fill, type OrderEvent } from "../domain/order.ts";
import { opposite, type Side } from "../domain/side.ts";
import {
  isDormant,
  missingOf,
  pairOf,
  remainingOf,
  carriesPair,
  type TrackedOrder,
} from "./tracked-order.ts";

/** A change of one token's balance. */
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

/** What the venue locks for a live order of ours. The legs of a pair share the larger need of the two (D25). */
export function needOf(order: TrackedOrder): Need {
  return order.leg === undefined
    ? needFor(order, remainingOf(order))
    : pairNeed(order, (leg) => remainingOf(leg));
}

/** What an order of ours may still pay, including what it paid in fills that we do not know yet. */
export function unpaidOf(order: TrackedOrder): Need {
  if (order.phase === "ended") return needFor(order, missingOf(order));
  if (order.leg === undefined) return needFor(order, subFixed(order.quantity, order.filled));
  const { tokenId, amount } = pairNeed(order, remainingOf);
  if (!carriesPair(order)) return { tokenId, amount };
  const pair = pairOf(order);
  const legs = pair === undefined || pair.phase === "ended" ? [order] : [order, pair];
  const paid = legs.map((leg) => needFor(leg, missingOf(leg)).amount);
  return { tokenId, amount: paid.reduce(addFixed, amount) };
}

/**
 * How much more the pair of this leg may still pay than the leg alone, when the leg carries the pair's lock. Undefined for other orders.
 */
export function pairSurplusOf(order: TrackedOrder): Need | undefined {
  if (order.leg === undefined || !carriesPair(order)) return undefined;
  const { tokenId, amount } = unpaidOf(order);
  const own = needFor(order, addFixed(remainingOf(order), missingOf(order)));
  return { tokenId, amount: maxFixed(ZERO, subFixed(amount, own.amount)) };
}

/** The lock of a quantity of the order. A stop market buy locks its value at the stop price (D19, D24); a take at market pays at most about its worst price. */
function needFor(order: TrackedOrder, quantity: Fixed): Need {
  const { marketId, side, price, trigger, take } = order;
  const worth = price > 0 ? price : (trigger?.stopPrice ?? take?.worst ?? 0);
  const { base, quote } = tokensOf(marketId);
  return side === "BUY"
    ? { tokenId: quote, amount: mulNumber(worth, quantity) }
    : { tokenId: base, amount: quantity };
}

/**
 * Reported for the leg that carries the pair's lock; zero for the other leg. While the legs are dormant, what their quote will still
 * bring in is subtracted. What the quote has brought in already is reserved for the legs.
 */
function pairNeed(order: TrackedOrder, quantityOf: (leg: TrackedOrder) => Fixed): Need {
  const own = needFor(order, quantityOf(order));
  if (!carriesPair(order)) return { tokenId: own.tokenId, amount: ZERO };
  const pair = pairOf(order);
  const isPairLive = pair !== undefined && pair.phase !== "ended";
  const amount = isPairLive
    ? maxFixed(own.amount, needFor(pair, quantityOf(pair)).amount)
    : own.amount;
  const working = order.bracket?.working;
  if (working === undefined || !isDormant(order)) return { tokenId: own.tokenId, amount };
  const incoming =
    working.side === "SELL" ? mulNumber(working.price, remainingOf(working)) : remainingOf(working);
  return { tokenId: own.tokenId, amount: maxFixed(ZERO, subFixed(amount, incoming)) };
}

/** The balance changes of an ORDER event (§6.4, D18, D19). */
export function orderChanges(event: OrderEvent): readonly BalanceChange[] {
  const { order, eventType, fill } = event;
  if (eventType === "TRADE") return fill === undefined ? [] : fillChanges(fill, order.price);
  // Market orders keep nothing locked. TRIGGER and REJECTED change no balance.
  if (order.price === ZERO || (eventType !== "NEW" && eventType !== "CANCEL")) return [];
  // A leg's cancel frees the lock that it shares with its pair, or nothing. Money that may still be locked does not count as free.
  if (eventType === "CANCEL" && isContingent(order.orderType)) return [];
  const quantity = eventType === "NEW" ? order.origQty : subFixed(order.origQty, order.executedQty);
  const { tokenId, amount } = lockOf(order.marketId, order.side, order.price, quantity);
  return eventType === "NEW"
    ? [{ tokenId, locked: amount, unlocked: negFixed(amount) }]
    : [{ tokenId, locked: negFixed(amount), unlocked: amount }];
}

/** The balance changes of an ACCOUNT event (§6.4). */
export function accountChanges(event: AccountEvent): readonly BalanceChange[] {
  const { eventType, tokenId, account, fromAddress, toAddress } = event;
  // The two events of a transfer to oneself look alike and cancel out.
  if (eventType === "TRANSFER" && fromAddress === toAddress) return [];
  const isOut = eventType === "WITHDRAW" || (eventType === "TRANSFER" && toAddress !== account);
  return [{ tokenId, locked: ZERO, unlocked: isOut ? negFixed(event.amount) : event.amount }];
}

/**
 * The balance changes of a fill and its fee; a token may occur twice. A price better than `limit`, that of its order, releases the difference
 * at once. Limit 0, that of a market order, locked nothing. No limit changes the sum of both.
 */
export function fillChanges(fill: Fill, limit: Fixed): readonly BalanceChange[] {
  const { marketId, side, quantity } = fill;
  const given = lockOf(marketId, side, fill.price, quantity);
  const taken = lockOf(marketId, opposite(side), fill.price, quantity);
  const locked = limit === ZERO ? ZERO : lockOf(marketId, side, limit, quantity).amount;
  return [
    {
      tokenId: given.tokenId,
      locked: negFixed(locked),
      unlocked: subFixed(locked, given.amount),
    },
    { tokenId: taken.tokenId, locked: ZERO, unlocked: taken.amount },
    { tokenId: fill.feeToken, locked: ZERO, unlocked: negFixed(fill.fee) },
  ];
}

/** By how much changes change what the account has, locked or not; a token may occur twice. */
export function amountsOf(changes: readonly BalanceChange[]): readonly Need[] {
  return changes.map(({ tokenId, locked, unlocked }) => {
    return { tokenId, amount: addFixed(locked, unlocked) };
  });
}

/** D19: a limit buy locks price × quantity of quote, a limit sell its quantity of base. */
function lockOf(marketId: MarketId, side: Side, price: Fixed, quantity: Fixed): Need {
  const { base, quote } = tokensOf(marketId);
  return side === "BUY"
    ? { tokenId: quote, amount: mulFixed(price, quantity) }
    : { tokenId: base, amount: quantity };
}
