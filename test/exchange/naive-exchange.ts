import {
  divUp,
  fixed,
  maxFixed,
  minFixed,
  mulFixed,
  mulRoundHalfUp,
  subFixed,
  truncFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import { isTerminal, type OrderStatus } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";

/**
 * The same rules (D17 to D25), written as plainly as possible: one list of live orders that is searched and sorted at every step, locks
 * computed from the live orders, and generic exact arithmetic. For comparison only.
 */
export interface NaiveOrder {
  readonly id: string;
  readonly account: number;
  readonly side: Side;
  /** Undefined: a market order. */
  readonly price: Fixed | undefined;
  readonly inQuote: boolean;
  /** Order of admission. */
  readonly number: number;
  readonly stop: { readonly price: Fixed; readonly rising: boolean } | undefined;
  readonly leg: boolean;
  quantity: Fixed;
  remaining: Fixed;
  executed: Fixed;
  status: OrderStatus;
  /** When it began to rest in the book; undefined when it does not. */
  restsSince: number | undefined;
  waits: boolean;
  fired: boolean;
  /** The amount a fired market order may still spend. */
  budget: Fixed | undefined;
  pair: NaiveOrder | undefined;
  legs: readonly [NaiveOrder, NaiveOrder] | undefined;
  received: Fixed;
}

export interface NaiveRequest {
  readonly account: number;
  readonly side: Side;
  readonly price: Fixed | undefined;
  readonly quantity: Fixed;
  readonly inQuote?: boolean;
  readonly stopPrice?: Fixed | undefined;
  readonly tpsl?: NaiveTpsl | undefined;
}

export interface NaiveTpsl {
  readonly ids: readonly [takeProfit: string, stopLoss: string];
  readonly tpLimit: Fixed;
  readonly slTrigger: Fixed;
  readonly slLimit: Fixed | undefined;
}

const zero = fixed("0");

export class NaiveExchange {
  readonly orders = new Map<string, NaiveOrder>();
  readonly base: Fixed[];
  readonly quote: Fixed[];
  readonly #live = new Set<NaiveOrder>();
  #due: NaiveOrder[] = [];
  #last: Fixed | undefined;
  #time = 0;

  constructor(accounts: number, base: Fixed, quote: Fixed) {
    this.base = Array.from({ length: accounts }, () => base);
    this.quote = Array.from({ length: accounts }, () => quote);
  }

  resting(): NaiveOrder[] {
    return [...this.#live].filter((order) => order.restsSince !== undefined);
  }

  /** The amounts that the account's live orders need: [base, quote]. */
  locked(account: number): [Fixed, Fixed] {
    const sums = { BUY: ZERO, SELL: ZERO };
    for (const order of this.#live) {
      if (order.account !== account) continue;
      const { pair } = order;
      let amount = need(order);
      if (pair !== undefined && this.#live.has(pair)) {
        // The pair counts once, with the larger need.
        amount = pair.number > order.number ? maxFixed(amount, need(pair)) : ZERO;
      }
      sums[order.side] = (sums[order.side] + amount) as Fixed;
    }
    return [sums.SELL, sums.BUY];
  }

  free(account: number, side: Side): Fixed {
    const [base, quote] = this.locked(account);
    return side === "SELL"
      ? subFixed(this.base[account] as Fixed, base)
      : subFixed(this.quote[account] as Fixed, quote);
  }

  /** A transfer, or a withdrawal when `to` is undefined; false when there is not enough. */
  move(from: number, to: number | undefined, side: Side, amount: Fixed): boolean {
    if (amount > this.free(from, side)) return false;
    const purse = side === "SELL" ? this.base : this.quote;
    purse[from] = subFixed(purse[from] as Fixed, amount);
    if (to !== undefined) purse[to] = ((purse[to] as Fixed) + amount) as Fixed;
    return true;
  }

  cancelCommand(id: string): boolean {
    const order = this.orders.get(id);
    if (order === undefined || isTerminal(order.status)) return false;
    this.#cancel(order);
    return true;
  }

  cancelAll(account: number): void {
    for (const order of this.#live) {
      if (order.account === account && !isTerminal(order.status)) this.#cancel(order);
    }
  }

  /** `total` includes the executed quantity. */
  modify(id: string, newId: string, legIds: NaiveTpsl["ids"], price: Fixed, total: Fixed): boolean {
    const order = this.orders.get(id);
    if (order === undefined || isTerminal(order.status) || order.leg) return false;
    const { account, side, inQuote, stop, legs, fired } = order;
    const quantity = subFixed(total, order.executed);
    const [takeProfit, stopLoss] = legs ?? [];
    const tpsl =
      takeProfit?.price === undefined ||
      stopLoss?.stop === undefined ||
      isTerminal(takeProfit.status)
        ? undefined
        : {
            ids: legIds,
            tpLimit: takeProfit.price,
            slTrigger: stopLoss.stop.price,
            slLimit: stopLoss.price,
          };
    this.#cancel(order);
    const isMarket = order.price === undefined;
    const request = {
      account,
      side,
      price: isMarket ? undefined : price,
      quantity,
      inQuote,
      stopPrice: stop?.price,
      tpsl,
    };
    // A market order with a price is rejected.
    this.#place(newId, request, isMarket, stop === undefined ? undefined : { ...stop, fired });
    return true;
  }

  place(id: string, request: NaiveRequest): void {
    this.#place(id, request, false, undefined);
  }

  #place(
    id: string,
    request: NaiveRequest,
    isWrong: boolean,
    carried: { readonly rising: boolean; readonly fired: boolean } | undefined,
  ): void {
    const { account, side, price, quantity, inQuote = false, stopPrice, tpsl } = request;
    const rising = carried?.rising ?? this.#isRising(stopPrice);
    const order = this.#new(id, {
      account,
      side,
      price,
      inQuote,
      quantity,
      stop: stopPrice === undefined ? undefined : { price: stopPrice, rising: rising ?? true },
      leg: false,
    });
    order.fired = carried?.fired ?? false;
    const waits = stopPrice !== undefined && !order.fired;
    const isCrooked = tpsl !== undefined && price !== undefined && !isStraight(side, price, tpsl);
    const isBlind = stopPrice !== undefined && rising === undefined;
    if (isWrong || isCrooked || isBlind || !this.#covers(order, waits)) {
      order.status = "REJECTED";
      return;
    }
    this.#live.add(order);
    if (tpsl !== undefined) order.legs = this.#newLegs(order, tpsl);
    if (waits) order.waits = true;
    else this.#enter(order);
    this.#settle();
  }

  #isRising(stopPrice: Fixed | undefined): boolean | undefined {
    if (stopPrice === undefined) return undefined;
    if (this.#last !== undefined) return stopPrice >= this.#last;
    const bid = this.#makers("SELL", undefined)[0]?.price;
    const ask = this.#makers("BUY", undefined)[0]?.price;
    return bid === undefined || ask === undefined ? undefined : stopPrice * 2n >= bid + ask;
  }

  #covers(order: NaiveOrder, waits: boolean): boolean {
    const free = this.free(order.account, order.side);
    if (waits || order.price !== undefined) return need({ ...order, waits, restsSince: 0 }) <= free;
    const { used, found } = this.#preview(order);
    return found && used <= free;
  }

  /** The amount a market order would spend. */
  #preview(order: NaiveOrder): { readonly used: Fixed; readonly found: boolean } {
    const gone = new Map<NaiveOrder, Fixed>();
    let left = order.remaining;
    let used = ZERO;
    for (const maker of this.#makers(order.side, undefined)) {
      if (maker.account === order.account || left === 0n) break;
      const price = maker.price ?? zero;
      const available = subFixed(maker.remaining, gone.get(maker) ?? ZERO);
      const wanted = order.inQuote ? divDown(left, price, 8) : left;
      const quantity = minFixed(available, wanted);
      if (available === 0n) continue;
      if (quantity === 0n) break;
      if (maker.pair !== undefined) gone.set(maker.pair, quantity);
      const paid = mulFixed(price, quantity);
      left = subFixed(left, order.inQuote ? paid : quantity);
      used = (used + (order.side === "BUY" ? paid : quantity)) as Fixed;
    }
    return { used, found: used > 0n };
  }

  #enter(order: NaiveOrder): void {
    let isBlocked = false;
    while (order.remaining > 0n) {
      const maker = this.#makers(order.side, order.price)[0];
      if (maker === undefined) break;
      isBlocked = maker.account === order.account;
      if (isBlocked) break;
      const price = maker.price ?? zero;
      let quantity = minFixed(
        maker.remaining,
        order.inQuote ? divDown(order.remaining, price, 8) : order.remaining,
      );
      if (order.budget !== undefined) {
        if (order.side === "SELL") quantity = minFixed(quantity, order.budget);
        else if (mulFixed(price, quantity) > order.budget) {
          quantity = divDown(order.budget, price, 8);
        }
      }
      if (quantity === 0n) break;
      this.#trade(order, maker, price, quantity);
    }
    order.budget = undefined;
    if (isTerminal(order.status)) return;
    if (order.price === undefined || isBlocked) this.#cancel(order);
    else order.restsSince = this.#now();
  }

  /** Orders that an incoming one of this side can trade with, best first. */
  #makers(side: Side, limit: Fixed | undefined): NaiveOrder[] {
    const sign = side === "BUY" ? 1n : -1n;
    const priceOf = (order: NaiveOrder): Fixed => order.price ?? zero;
    return this.resting()
      .filter((other) => other.side !== side)
      .filter((other) => limit === undefined || sign * (limit - priceOf(other)) >= 0n)
      .sort((left, right) => {
        const difference = sign * (priceOf(left) - priceOf(right));
        if (difference !== 0n) return difference > 0n ? 1 : -1;
        return (left.restsSince ?? 0) - (right.restsSince ?? 0);
      });
  }

  #trade(taker: NaiveOrder, maker: NaiveOrder, price: Fixed, quantity: Fixed): void {
    const paid = mulFixed(price, quantity);
    const [buyer, seller] = taker.side === "BUY" ? [taker, maker] : [maker, taker];
    const rate = (order: NaiveOrder): Fixed => fixed(order === taker ? "0.0005" : "0.0002");
    const base = subFixed(quantity, mulRoundHalfUp(quantity, rate(buyer), 18));
    const quote = subFixed(paid, mulRoundHalfUp(paid, rate(seller), 18));
    this.base[seller.account] = subFixed(this.base[seller.account] as Fixed, quantity);
    this.quote[buyer.account] = subFixed(this.quote[buyer.account] as Fixed, paid);
    this.base[buyer.account] = ((this.base[buyer.account] as Fixed) + base) as Fixed;
    this.quote[seller.account] = ((this.quote[seller.account] as Fixed) + quote) as Fixed;
    if (taker.budget !== undefined) {
      taker.budget = subFixed(taker.budget, taker.side === "BUY" ? paid : quantity);
    }
    for (const order of [taker, maker]) {
      order.executed = (order.executed + quantity) as Fixed;
      order.remaining = subFixed(
        order.remaining,
        order === taker && order.inQuote ? paid : quantity,
      );
      order.status = order.remaining === 0n ? "FILLED" : "PARTIALLY_FILLED";
      order.received = (order.received + (order === buyer ? base : quantity)) as Fixed;
      if (order.remaining === 0n) this.#end(order);
    }
    for (const order of [taker, maker]) {
      if (order.legs !== undefined && order.status === "FILLED") this.#due.push(order);
      const { pair } = order;
      if (pair === undefined || isTerminal(pair.status)) continue;
      pair.remaining = subFixed(pair.remaining, minFixed(pair.remaining, quantity));
      if (pair.remaining === 0n) this.#cancel(pair);
    }
    this.#last = price;
    this.#reach(price);
  }

  #reach(price: Fixed): void {
    const reached = [...this.#live].filter(
      ({ waits, stop }) =>
        waits && stop !== undefined && (stop.rising ? price >= stop.price : price <= stop.price),
    );
    const key = (order: NaiveOrder): bigint => {
      const stop = order.stop?.price ?? zero;
      return order.stop?.rising === true ? stop : -stop;
    };
    reached.sort((left, right) => {
      if (left.stop?.rising !== right.stop?.rising) return left.stop?.rising === true ? -1 : 1;
      if (key(left) !== key(right)) return key(left) > key(right) ? 1 : -1;
      return left.number - right.number;
    });
    for (const order of reached) {
      order.waits = false;
      this.#due.push(order);
    }
  }

  /** Places legs and fires stops, one after another, until nothing more follows. */
  #settle(): void {
    for (let order = this.#due.shift(); order !== undefined; order = this.#due.shift()) {
      if (order.legs !== undefined && order.status === "FILLED") this.#placeLegs(order, order.legs);
      else if (!isTerminal(order.status)) this.#fire(order);
    }
  }

  #fire(order: NaiveOrder): void {
    order.fired = true;
    if (order.price === undefined) order.budget = need({ ...order, waits: true });
    this.#enter(order);
  }

  #placeLegs(working: NaiveOrder, [takeProfit, stopLoss]: readonly [NaiveOrder, NaiveOrder]): void {
    if (isTerminal(takeProfit.status)) return;
    const quantity = working.side === "BUY" ? truncFixed(working.received, 8) : working.executed;
    const free = this.free(working.account, takeProfit.side);
    for (const leg of [takeProfit, stopLoss]) {
      leg.quantity = leg.remaining = quantity;
      const isCovered = need({ ...leg, waits: leg.stop !== undefined, restsSince: 0 }) <= free;
      leg.status = isCovered ? "NEW" : "REJECTED";
      if (isCovered) this.#live.add(leg);
    }
    stopLoss.waits = stopLoss.status === "NEW";
    if (takeProfit.status === "NEW") this.#enter(takeProfit);
    const { stop } = stopLoss;
    const last = this.#last ?? zero;
    if (!stopLoss.waits || stop === undefined) return;
    if (stop.rising ? last >= stop.price : last <= stop.price) {
      stopLoss.waits = false;
      this.#due.push(stopLoss);
    }
  }

  #cancel(order: NaiveOrder): void {
    order.status = "CANCELED";
    this.#end(order);
    const tied = order.legs ?? (order.pair === undefined ? [] : [order.pair]);
    for (const other of tied) if (!isTerminal(other.status)) this.#cancel(other);
  }

  #end(order: NaiveOrder): void {
    order.restsSince = undefined;
    order.waits = false;
    this.#live.delete(order);
  }

  #newLegs(working: NaiveOrder, tpsl: NaiveTpsl): [NaiveOrder, NaiveOrder] {
    const { account, quantity } = working;
    const side = working.side === "BUY" ? ("SELL" as const) : ("BUY" as const);
    const common = { account, side, inQuote: false, quantity, leg: true };
    const [takeProfitId, stopLossId] = tpsl.ids;
    const takeProfit = this.#new(takeProfitId, { ...common, price: tpsl.tpLimit, stop: undefined });
    const stop = { price: tpsl.slTrigger, rising: side === "BUY" };
    const stopLoss = this.#new(stopLossId, { ...common, price: tpsl.slLimit, stop });
    takeProfit.pair = stopLoss;
    stopLoss.pair = takeProfit;
    for (const leg of [takeProfit, stopLoss]) leg.status = "PENDING_NEW";
    return [takeProfit, stopLoss];
  }

  #new(
    id: string,
    terms: Pick<NaiveOrder, "account" | "side" | "price" | "inQuote" | "quantity" | "stop" | "leg">,
  ): NaiveOrder {
    const order: NaiveOrder = {
      ...terms,
      id,
      number: this.#now(),
      remaining: terms.quantity,
      executed: ZERO,
      status: "NEW",
      restsSince: undefined,
      waits: false,
      fired: false,
      budget: undefined,
      pair: undefined,
      legs: undefined,
      received: ZERO,
    };
    this.orders.set(id, order);
    return order;
  }

  #now(): number {
    this.#time += 1;
    return this.#time;
  }
}

function isStraight(side: Side, price: Fixed, { tpLimit, slTrigger }: NaiveTpsl): boolean {
  return side === "BUY"
    ? tpLimit > price && price > slTrigger
    : tpLimit < price && price < slTrigger;
}

/** The amount the order needs while it rests or waits: base for a sell, quote for a buy. */
function need({ side, price, stop, inQuote, remaining, waits, restsSince }: NaiveOrder): Fixed {
  if (!waits && restsSince === undefined) return ZERO;
  const at = price ?? stop?.price ?? zero;
  if (side === "BUY") return inQuote ? remaining : mulFixed(at, remaining);
  return inQuote ? divUp(remaining, at, 8) : remaining;
}

/** left ÷ right, rounded down at `decimals`. */
function divDown(left: Fixed, right: Fixed, decimals: number): Fixed {
  return truncFixed(((left * 10n ** 26n) / right) as Fixed, decimals);
}
