import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { opposite, type Side } from "../../src/domain/side.ts";
import { riskAverseQueue } from "../../src/exchange/queue-model.ts";
import { ETH_USDT, limit, NOW, testAddress, testExchange, testHash } from "../support/exchange.ts";
import { isSoak } from "../support/soak.ts";

const SIDES = ["BUY", "SELL"] as const;
/** All quantities are whole hundredths. */
const OWN = 100;

interface RealOrder {
  quantity: number;
}

/** Our order, which the others do not see. */
interface OwnOrder {
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  /** The others that were at its price before it. */
  readonly inFront: ReadonlySet<RealOrder>;
  /** What the market has not traded yet of what would have been its. */
  left: number;
}

/** A market of single orders, one list for each price. */
class RealMarket {
  readonly #levels: Readonly<Record<Side, Map<number, RealOrder[]>>> = {
    BUY: new Map(),
    SELL: new Map(),
  };

  ordersAt(side: Side, price: number): readonly RealOrder[] {
    return this.#levels[side].get(price) ?? [];
  }

  quantityAt(side: Side, price: number): number {
    return this.ordersAt(side, price).reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** Best first. */
  prices(side: Side): number[] {
    const prices = [...this.#levels[side].keys()].filter((price) => this.quantityAt(side, price));
    return prices.sort((left, right) => (side === "BUY" ? right - left : left - right));
  }

  /** The nearest price that does not meet the other side. */
  restingPrice(side: Side, price: number): number {
    const [other] = this.prices(opposite(side));
    if (other === undefined) return price;
    return side === "BUY" ? Math.min(price, other - 1) : Math.max(price, other + 1);
  }

  add(side: Side, price: number, quantity: number): void {
    this.#levels[side].set(price, [...this.ordersAt(side, price), { quantity }]);
  }

  remove(side: Side, price: number, removed: RealOrder): void {
    const left = this.ordersAt(side, price).filter((order) => order !== removed);
    this.#levels[side].set(price, left);
  }

  /** Takes from the orders at a price by time, and returns what each gave. */
  take(side: Side, price: number, quantity: number): (readonly [RealOrder, number])[] {
    let left = quantity;
    return this.ordersAt(side, price).map((order) => {
      const part = Math.min(left, order.quantity);
      left -= part;
      order.quantity -= part;
      return [order, part] as const;
    });
  }
}

/** What an event tells of one side. */
const told = (market: RealMarket, side: Side, prices: Iterable<number>): Float64Array =>
  Float64Array.from([...prices].flatMap((price) => [price, market.quantityAt(side, price) / 100]));

test.each(Array.from({ length: isSoak ? 100 : 12 }, (_, at) => at + 1))(
  "no order is filled by more than its place in the real queue gives, over gaps and short books, seed %i",
  (seed) => {
    const random = new Prng(seed);
    const real = new RealMarket();
    const { exchange } = testExchange({}, [["1000000", "1000000000"]]);
    const recorded = exchange.recordedLiquidity(ETH_USDT, riskAverseQueue);
    const filled = ({ id }: OwnOrder): number =>
      Math.round(100 * fixedToNumber(exchange.order(testHash(id))?.executedQty ?? expect.fail()));
    let own: OwnOrder | undefined;
    let isLost = true;
    let mid = 1000;
    let atUnknown = 0;
    let whole = 0;
    for (let step = 1; step <= 2500; step += 1) {
      if (random.chance(0.2)) mid += random.int(-1, 1);
      const side = random.pick(SIDES);
      const sign = side === "BUY" ? -1 : 1;
      const { changed, prints } = act(side, mid + sign * random.int(-1, 6));
      const wasLost = isLost;
      if (random.chance(isLost ? 0.15 : 0.02)) isLost = !isLost;
      if (!isLost) tell(wasLost, side, changed, prints);
      if (own === undefined) {
        if (!isLost && random.chance(0.3)) own = place(step, mid);
        continue;
      }
      expect(filled(own)).toBeLessThanOrEqual(OWN - own.left);
      if (own.left > 0 && !random.chance(0.01)) continue;
      if (filled(own) === OWN) whole += 1;
      const orderId = testHash(own.id);
      exchange.execute(testAddress(1), { type: "cancel", orderId }, NOW);
      own = undefined;
    }
    expect(atUnknown).toBeGreaterThan(5);
    expect(whole).toBeGreaterThan(20);

    /** The others place, cancel or trade. */
    function act(side: Side, price: number) {
      const kind = random.unit();
      if (kind < 0.5) {
        const at = real.restingPrice(side, price);
        real.add(side, at, random.int(1, 100));
        // It would have traded with ours, as the exchange takes it (D35): the whole of it.
        if (own?.side === opposite(side) && !isBeyond(own.side, own.price, at)) own.left = 0;
        return { changed: [at], prints: [] };
      }
      if (kind < 0.75) {
        const prices = real.prices(side);
        if (prices.length === 0) return { changed: [], prints: [] };
        const at = random.pick(prices);
        real.remove(side, at, random.pick(real.ordersAt(side, at)));
        return { changed: [at], prints: [] };
      }
      const prints: (readonly [price: number, quantity: number])[] = [];
      let left = random.int(1, 250);
      for (const at of real.prices(side)) {
        const traded = Math.min(left, real.quantityAt(side, at));
        if (traded === 0) break;
        left -= traded;
        prints.push([at, traded]);
        const parts = real.take(side, at, traded);
        if (own?.side !== side || isBeyond(side, own.price, at)) continue;
        const behind = parts
          .filter(([order]) => at !== own?.price || !own.inFront.has(order))
          .reduce((sum, [, part]) => sum + part, 0);
        own.left = Math.max(0, own.left - behind);
      }
      return { changed: prints.map(([at]) => at), prints };
    }

    function tell(
      isFirst: boolean,
      side: Side,
      changed: readonly number[],
      prints: readonly (readonly [price: number, quantity: number])[],
    ): void {
      if (isFirst) {
        const most = random.chance(0.3) ? random.int(1, 5) : 0;
        const best = (of: Side) => told(real, of, real.prices(of).slice(0, most));
        recorded.snapshot(best("BUY"), best("SELL"), NOW);
        return;
      }
      for (const [price, quantity] of prints) {
        recorded.trade({ price, quantity: quantity / 100, isBuyerMaker: side === "BUY" }, NOW);
      }
      const levels = (of: Side) => told(real, of, of === side ? changed : []);
      recorded.depth(levels("BUY"), levels("SELL"), NOW);
    }

    function place(id: number, middle: number): OwnOrder {
      const side = random.pick(SIDES);
      const sign = side === "BUY" ? -1 : 1;
      const price = real.restingPrice(side, middle + sign * random.int(-1, 5));
      if (recorded.depthLevels(side).remainingAt(price) === undefined) atUnknown += 1;
      const command = limit(side, String(price), String(OWN / 100));
      exchange.execute(testAddress(1), command, NOW, { txHash: testHash(id) });
      return { id, side, price, inFront: new Set(real.ordersAt(side, price)), left: OWN };
    }
  },
);

/** Whether a price is worse for orders of this side than another: trades reach it later. */
function isBeyond(side: Side, price: number, than: number): boolean {
  return side === "BUY" ? price < than : price > than;
}
