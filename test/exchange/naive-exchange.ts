import {
  divDown,
  fixed,
  minFixed,
  mulFixed,
  mulRoundHalfUp,
  subFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import type { Side } from "../../src/domain/side.ts";

/**
 * The same rules (D17 to D23), written as plainly as possible: one list of orders, searched and sorted at every step, generic
 * exact arithmetic. For comparison only.
 */
export interface NaiveOrder {
  readonly id: string;
  readonly account: number;
  readonly side: Side;
  readonly price: Fixed;
  readonly time: number;
  remaining: Fixed;
  executed: Fixed;
  status: string;
}

export class NaiveExchange {
  readonly orders = new Map<string, NaiveOrder>();
  readonly base: Fixed[];
  readonly quote: Fixed[];
  #time = 0;

  constructor(accounts: number, base: Fixed, quote: Fixed) {
    this.base = Array.from({ length: accounts }, () => base);
    this.quote = Array.from({ length: accounts }, () => quote);
  }

  open(): NaiveOrder[] {
    return [...this.orders.values()].filter(
      (order) => order.status === "NEW" || order.status === "PARTIALLY_FILLED",
    );
  }

  /** What the account's open orders need: [base, quote]. */
  locked(account: number): [Fixed, Fixed] {
    let base = ZERO;
    let quote = ZERO;
    for (const order of this.open()) {
      if (order.account !== account) continue;
      if (order.side === "SELL") base = (base + order.remaining) as Fixed;
      else quote = (quote + mulFixed(order.price, order.remaining)) as Fixed;
    }
    return [base, quote];
  }

  cancel(id: string): void {
    const order = this.orders.get(id);
    if (order !== undefined && this.open().includes(order)) order.status = "CANCELED";
  }

  /** `price` undefined: a market order; `inQuote`: its quantity is quote token. */
  place(
    id: string,
    account: number,
    side: Side,
    price: Fixed | undefined,
    quantity: Fixed,
    inQuote: boolean,
  ): void {
    this.#time += 1;
    const order: NaiveOrder = {
      id,
      account,
      side,
      price: price ?? ZERO,
      time: this.#time,
      remaining: quantity,
      executed: ZERO,
      status: "NEW",
    };
    this.orders.set(id, order);
    const [lockedBase, lockedQuote] = this.locked(account);
    // The new order is in that sum as a limit order; take it out again.
    const own = price === undefined ? ZERO : side === "BUY" ? mulFixed(price, quantity) : quantity;
    const ownSell = price === undefined && side === "SELL" ? quantity : ZERO;
    const freeBase = subFixed(
      this.base[account] as Fixed,
      (lockedBase - (side === "SELL" ? own + ownSell : 0n)) as Fixed,
    );
    const freeQuote = subFixed(
      this.quote[account] as Fixed,
      (lockedQuote - (side === "BUY" ? own : 0n)) as Fixed,
    );

    const trades = this.#trades(order, price, inQuote);
    const usedBase = trades.reduce((sum, trade) => sum + trade.quantity, 0n);
    const usedQuote = trades.reduce((sum, trade) => sum + trade.paid, 0n);
    const needed = price === undefined ? (side === "BUY" ? usedQuote : usedBase) : own;
    if (
      needed > (side === "BUY" ? freeQuote : freeBase) ||
      (price === undefined && trades.length === 0)
    ) {
      order.status = "REJECTED";
      return;
    }
    for (const { maker, quantity: traded, paid } of trades) {
      const [buyer, seller] = side === "BUY" ? [account, maker.account] : [maker.account, account];
      const [buyerRate, sellerRate] = side === "BUY" ? ["0.0005", "0.0002"] : ["0.0002", "0.0005"];
      this.base[seller] = subFixed(this.base[seller] as Fixed, traded);
      this.quote[buyer] = subFixed(this.quote[buyer] as Fixed, paid);
      const base = traded - mulRoundHalfUp(traded, fixed(buyerRate), 18);
      const quote = paid - mulRoundHalfUp(paid, fixed(sellerRate), 18);
      this.base[buyer] = ((this.base[buyer] as Fixed) + base) as Fixed;
      this.quote[seller] = ((this.quote[seller] as Fixed) + quote) as Fixed;
      for (const side of [maker, order]) {
        side.executed = (side.executed + traded) as Fixed;
        side.remaining = subFixed(side.remaining, side === order && inQuote ? paid : traded);
        side.status = side.remaining === 0n ? "FILLED" : "PARTIALLY_FILLED";
      }
    }
    if (order.remaining === 0n) return;
    if (price === undefined || this.#meetsItself(order, price)) order.status = "CANCELED";
  }

  #meetsItself(order: NaiveOrder, price: Fixed): boolean {
    const first = this.#makers(order, price)[0];
    return first !== undefined && first.account === order.account;
  }

  #makers(order: NaiveOrder, price: Fixed | undefined): NaiveOrder[] {
    const sign = order.side === "BUY" ? 1n : -1n;
    return this.open()
      .filter(
        (other) =>
          other !== order &&
          other.side !== order.side &&
          (price === undefined || sign * (price - other.price) >= 0n),
      )
      .sort(
        (left, right) =>
          Number(sign * (left.price - right.price) > 0n) -
            Number(sign * (left.price - right.price) < 0n) || left.time - right.time,
      );
  }

  #trades(
    order: NaiveOrder,
    price: Fixed | undefined,
    inQuote: boolean,
  ): { maker: NaiveOrder; quantity: Fixed; paid: Fixed }[] {
    const trades: { maker: NaiveOrder; quantity: Fixed; paid: Fixed }[] = [];
    let left = order.remaining;
    for (const maker of this.#makers(order, price)) {
      if (maker.account === order.account) break;
      const quantity = minFixed(maker.remaining, inQuote ? divDown(left, maker.price, 8) : left);
      if (quantity === 0n) break;
      const paid = mulFixed(maker.price, quantity);
      trades.push({ maker, quantity, paid });
      left = subFixed(left, inQuote ? paid : quantity);
      if (left === 0n) break;
    }
    return trades;
  }
}
