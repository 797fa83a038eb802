import { opposite, type Side } from "../../src/domain/side.ts";

/** A price and its quantity; all quantities here are whole hundredths. */
export type NaiveLevel = readonly [price: number, quantity: number];
export type NaiveLevels = Readonly<Record<Side, readonly NaiveLevel[]>>;

export interface NaiveQueueOrder {
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  remaining: number;
  /** The most that can be in front; infinite where nobody knows. */
  ahead: number;
}

interface NaiveSide {
  /** Of the prices that are known: what is there. */
  readonly shown: Map<number, number>;
  /** Whether a price that was not named is known to be empty. */
  isCovered: (price: number) => boolean;
  /** Prices at which depth has shown the other side, which is proof that this one was not there. */
  readonly others: number[];
  /** What trades removed since the newest depth, to be restored. */
  readonly taken: Map<number, number>;
}

/**
 * The queues of own orders in a recorded market of which some prices are not known, by the rules of D35 and decision 030 for `risk-averse`, written as
 * plainly as possible: lists that are searched and sorted at every step. For comparison only.
 */
export class NaiveQueues {
  orders: NaiveQueueOrder[] = [];
  readonly #sides: Readonly<Record<Side, NaiveSide>> = { BUY: newSide(), SELL: newSide() };
  readonly #fillsAtPrice: boolean;
  readonly #fillsInPart: boolean;

  constructor(rules: { readonly fillsAtPrice: boolean; readonly fillsInPart: boolean }) {
    this.#fillsAtPrice = rules.fillsAtPrice;
    this.#fillsInPart = rules.fillsInPart;
  }

  /** Undefined where nobody knows. */
  shownAt(side: Side, price: number): number | undefined {
    const { shown, isCovered, others } = this.#sides[side];
    const isPassed = others.some((other) => better(side, price, other) >= 0);
    return shown.get(price) ?? (isPassed || isCovered(price) ? 0 : undefined);
  }

  gap(): void {
    for (const side of ["BUY", "SELL"] as const) {
      const held = this.#sides[side];
      held.shown.clear();
      held.taken.clear();
      held.others.length = 0;
      held.isCovered = () => false;
    }
  }

  book(levels: NaiveLevels): void {
    const before = { BUY: new Map(this.#sides.BUY.shown), SELL: new Map(this.#sides.SELL.shown) };
    this.gap();
    for (const side of ["BUY", "SELL"] as const) {
      const held = this.#sides[side];
      const worst = levels[side]
        .map(([price]) => price)
        .sort((a, b) => better(side, b, a))
        .at(-1);
      held.isCovered = (price) => worst === undefined || better(side, price, worst) >= 0;
      for (const [price, quantity] of levels[side]) held.shown.set(price, quantity);
    }
    this.#shrink();
    this.#cross(before);
  }

  depth(levels: NaiveLevels): void {
    const before = { BUY: new Map(this.#sides.BUY.shown), SELL: new Map(this.#sides.SELL.shown) };
    for (const side of ["BUY", "SELL"] as const) {
      const { shown, taken } = this.#sides[side];
      for (const [price, quantity] of taken) shown.set(price, quantity);
      taken.clear();
      for (const [price, quantity] of levels[side]) {
        shown.set(price, quantity);
        for (const order of this.orders) {
          if (order.side === side && order.price === price)
            order.ahead = Math.min(order.ahead, quantity);
        }
      }
    }
    this.#cross(before);
  }

  /** `side`: that of the makers. */
  trade(side: Side, price: number, quantity: number): void {
    const { shown } = this.#sides[side];
    for (const [level, held] of shown) {
      if (better(side, level, price) > 0 && held > 0) this.#take(side, level, held);
    }
    let left = quantity;
    const fill = (order: NaiveQueueOrder): void => {
      if (left === 0) return;
      const filled = this.#fillsInPart ? Math.min(left, order.remaining) : order.remaining;
      order.remaining -= filled;
      left = Math.max(0, left - filled);
    };
    const makers = this.orders
      .filter((order) => order.side === side)
      .sort((a, b) => better(side, b.price, a.price) || a.id - b.id);
    for (const order of makers) {
      if (better(side, order.price, price) <= 0) continue;
      order.ahead = 0;
      fill(order);
    }
    const known = this.shownAt(side, price);
    const there = makers.filter((order) => order.price === price);
    let passed = 0;
    const pass = (upTo: number): void => {
      const part = Math.min(left, Math.min(upTo, known ?? Infinity) - passed);
      if (part <= 0) return;
      passed += part;
      left -= part;
    };
    if (this.#fillsAtPrice) {
      for (const order of there) {
        pass(order.ahead);
        fill(order);
      }
    }
    pass(Infinity);
    for (const order of there) order.ahead = Math.max(0, order.ahead - passed);
    if (known !== undefined && passed > 0) this.#take(side, price, passed);
    this.#forgetFilled();
  }

  /** A new order trades with what is shown, and its rest joins the queue. */
  place(order: Omit<NaiveQueueOrder, "ahead">): void {
    const makers = opposite(order.side);
    const levels = [...this.#sides[makers].shown].sort(([a], [b]) => better(makers, b, a));
    for (const [price, quantity] of levels) {
      if (better(makers, price, order.price) < 0) break;
      const part = Math.min(order.remaining, quantity);
      order.remaining -= part;
      if (part > 0) this.#take(makers, price, part);
    }
    const ahead = this.shownAt(order.side, order.price) ?? Infinity;
    this.orders.push({ ...order, ahead });
    this.#forgetFilled();
  }

  cancel(id: number): void {
    this.orders = this.orders.filter((order) => order.id !== id);
  }

  #take(side: Side, price: number, quantity: number): void {
    const { shown, taken } = this.#sides[side];
    const before = shown.get(price) ?? 0;
    if (!taken.has(price)) taken.set(price, before);
    shown.set(price, before - quantity);
  }

  /** No more is in front of an order than what a book shows at its price. */
  #shrink(): void {
    for (const order of this.orders) {
      order.ahead = Math.min(order.ahead, this.shownAt(order.side, order.price) ?? Infinity);
    }
  }

  /** A level that has more than before fills the own orders of the other side that it crosses. */
  #cross(before: Readonly<Record<Side, ReadonlyMap<number, number>>>): void {
    for (const side of ["BUY", "SELL"] as const) {
      for (const [price, quantity] of this.#sides[side].shown) {
        if (quantity > 0) this.#sides[opposite(side)].others.push(price);
        if (quantity <= (before[side].get(price) ?? 0)) continue;
        for (const order of this.orders) {
          if (order.side !== side && better(order.side, order.price, price) >= 0)
            order.remaining = 0;
        }
      }
    }
    this.#forgetFilled();
  }

  #forgetFilled(): void {
    this.orders = this.orders.filter((order) => order.remaining > 0);
  }
}

function newSide(): NaiveSide {
  return { shown: new Map(), isCovered: () => false, others: [], taken: new Map() };
}

/** Above 0 when the first price is the better one. */
function better(side: Side, price: number, than: number): number {
  return side === "BUY" ? price - than : than - price;
}
