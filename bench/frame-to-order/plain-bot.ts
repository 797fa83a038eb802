import { Decimal } from "decimal.js";
import { hexlify, keccak256, toUtf8Bytes, Wallet } from "ethers";
import PQueue from "p-queue";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";
import { benchMarket } from "../recorded-frames.ts";
import { baseToken, quoteToken, type Terms } from "./terms.ts";

interface DepthMessage {
  readonly method: string;
  readonly params: {
    readonly channel: string;
    readonly result: {
      readonly bids: readonly (readonly [string, string])[];
      readonly asks: readonly (readonly [string, string])[];
      readonly firstId: number;
      readonly finalId: number;
    };
  };
}

type Side = "BUY" | "SELL";

interface Order {
  readonly id: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
}

interface TargetQuote {
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
}

const CONTRACT = "0x00000000000000000000000000000000000000cc";

/** Decimals that a price may have, and the smallest size, from this price on (§4.5). */
const tiers = [
  [10000, 0, "0.00001"],
  [1000, 1, "0.0001"],
  [100, 2, "0.001"],
  [10, 3, "0.01"],
  [1, 4, "0.1"],
  [0.1, 5, "1"],
  [0.01, 6, "1"],
  [0.001, 7, "1"],
  [0, 8, "1"],
].map(([from, decimals, minSize]) => ({
  from: new Decimal(from ?? 0),
  decimals: Number(decimals),
  minSize: new Decimal(minSize ?? 0),
}));

function tierOf(price: Decimal) {
  const tier = tiers.find(({ from }) => price.gte(from));
  if (tier === undefined) throw new Error("no tier");
  return tier;
}

/**
 * The peer: the same bot as a careful programmer would write it with the usual libraries. JSON.parse, decimal.js for every
 * price and quantity, a sorted array of levels searched by halves, a p-queue for requests, and ethers' Wallet. No journal.
 */
export class PlainBot {
  readonly orderIds: string[] = [];
  readonly #book: RecordedBook;
  readonly #terms: Terms;
  readonly #restMs: number;
  readonly #usesModify: boolean;
  readonly #wallet: Wallet;
  readonly #queue = new PQueue({ concurrency: 8, interval: 1000, intervalCap: 1_000_000 });
  readonly #orders = new Map<string, Order>();
  readonly #quotes: Partial<Record<Side, TargetQuote>> = {};
  readonly #half: Decimal;
  readonly #sizes: readonly Decimal[];
  readonly #limits;
  readonly #position = new Decimal(0);
  readonly #held;
  #bids = new PlainSide(-1);
  #asks = new PlainSide(1);
  #lastId = 0;
  #isFirst = true;
  #lastMessageMs = 0;
  #nextMs = 0;
  #turn = 0;
  #nonce = 0;

  /** `restMs`: at least this long between two moves, each of which is a modify; by default every frame places an order. */
  constructor(options: {
    readonly book: RecordedBook;
    readonly terms: Terms;
    readonly restMs?: number;
  }) {
    const { book, terms, restMs } = options;
    this.#restMs = restMs ?? 0;
    this.#usesModify = restMs !== undefined;
    const { limits } = terms;
    this.#book = book;
    this.#terms = terms;
    this.#wallet = new Wallet(hexlify(terms.privateKey));
    this.#half = new Decimal(terms.halfSpread);
    this.#sizes = terms.sizes.map((size) => new Decimal(size));
    this.#held = { base: new Decimal(terms.base), quote: new Decimal(terms.quote) };
    this.#limits = {
      collar: new Decimal(limits.collar),
      maxOrderSize: new Decimal(limits.maxOrderSize),
      maxOrderNotional: new Decimal(limits.maxOrderNotional),
      maxPosition: new Decimal(limits.maxPosition),
      maxOpenOrders: limits.maxOpenOrders,
      staleMs: limits.staleMs,
    };
  }

  /** The measured time: from a frame's bytes to the call of `send` with the signed order. */
  async onFrame(
    bytes: Buffer,
    nowMs: number,
    send: (signed: string, orderId: string, isModify: boolean) => unknown,
  ): Promise<void> {
    const message: DepthMessage = JSON.parse(bytes.toString());
    if (message.method !== "subscription") return;
    if (message.params.channel !== `depth@${benchMarket}`) return;
    if (!this.#apply(message.params.result)) return;
    this.#lastMessageMs = nowMs;
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#restMs;
    const targets = this.#decide();
    for (const target of this.#plan(targets)) {
      if (!this.#mayPlace(target, nowMs)) continue;
      const replaced = this.#movedFor(target);
      const signed = await this.#sign(target, nowMs, replaced);
      const order = { ...target, id: keccak256(signed) };
      if (replaced !== undefined) this.#orders.delete(replaced);
      this.#orders.set(order.id, order);
      this.orderIds.push(order.id);
      await this.#queue.add(() => send(signed, order.id, replaced !== undefined));
    }
  }

  /** The venue refused the order, or its original was filled. */
  forget(orderId: string): void {
    this.#orders.delete(orderId);
  }

  /** The connection starts anew with the recording's first book, without orders. */
  begin(): void {
    this.#orders.clear();
    delete this.#quotes.BUY;
    delete this.#quotes.SELL;
    this.#bids = new PlainSide(-1);
    this.#asks = new PlainSide(1);
    for (const [price, quantity] of this.#book.bids) this.#bids.set(price, quantity);
    for (const [price, quantity] of this.#book.asks) this.#asks.set(price, quantity);
    this.#lastId = this.#book.lastId;
    this.#isFirst = true;
  }

  /** The quote of the other side, whose turn is next, is canceled. */
  settle(): void {
    const next: Side = this.#turn % 2 === 0 ? "BUY" : "SELL";
    for (const order of this.#orders.values()) {
      if (order.side === next) this.#orders.delete(order.id);
    }
  }

  #apply(event: DepthMessage["params"]["result"]): boolean {
    const { firstId, finalId, bids, asks } = event;
    if (finalId <= this.#lastId) return false;
    const continues = this.#isFirst ? firstId <= this.#lastId + 1 : firstId === this.#lastId + 1;
    if (!continues) throw new Error("a gap");
    for (const [price, quantity] of bids) this.#bids.set(price, quantity);
    for (const [price, quantity] of asks) this.#asks.set(price, quantity);
    this.#lastId = finalId;
    this.#isFirst = false;
    return true;
  }

  #touch(side: Side): Decimal | undefined {
    const levels = side === "BUY" ? this.#bids : this.#asks;
    return levels.bestLess((price) => this.#ownAt(side, price));
  }

  #ownAt(side: Side, price: Decimal): Decimal {
    let own = new Decimal(0);
    for (const order of this.#orders.values()) {
      if (order.side === side && order.price.eq(price)) own = own.plus(order.size);
    }
    return own;
  }

  #mid(): Decimal | undefined {
    const bid = this.#touch("BUY");
    const ask = this.#touch("SELL");
    return bid === undefined || ask === undefined ? undefined : bid.plus(ask).div(2);
  }

  #decide(): TargetQuote[] {
    const mid = this.#mid();
    const size = this.#sizes[this.#turn % this.#sizes.length];
    if (mid === undefined || size === undefined) return [];
    const isBuy = this.#turn % 2 === 0;
    this.#turn += 1;
    const raw = isBuy ? mid.minus(this.#half) : mid.plus(this.#half);
    const rounding = isBuy ? Decimal.ROUND_DOWN : Decimal.ROUND_UP;
    const price = raw.toDecimalPlaces(tierOf(raw).decimals, rounding);
    const side = isBuy ? "BUY" : "SELL";
    this.#quotes[side] = { side, price, size };
    return Object.values(this.#quotes);
  }

  /** The quotes that have no resting order yet. */
  #plan(targets: readonly TargetQuote[]): TargetQuote[] {
    const free = new Set(this.#orders.values());
    return targets.filter((target) => {
      for (const order of free) {
        if (
          order.side !== target.side ||
          !order.price.eq(target.price) ||
          !order.size.eq(target.size)
        ) {
          continue;
        }
        free.delete(order);
        return false;
      }
      return true;
    });
  }

  /** The resting order that a modify turns into this quote. */
  #movedFor({ side }: TargetQuote): string | undefined {
    if (!this.#usesModify) return undefined;
    for (const order of this.#orders.values()) if (order.side === side) return order.id;
    return undefined;
  }

  /** The same rules as ours: touch, grid, own orders, balance, silence, collar, size, notional, position, open orders. */
  #mayPlace({ side, price, size }: TargetQuote, nowMs: number): boolean {
    const limits = this.#limits;
    const isBuy = side === "BUY";
    const opposite = this.#touch(isBuy ? "SELL" : "BUY");
    if (opposite !== undefined && (isBuy ? price.gte(opposite) : price.lte(opposite))) return false;
    const tier = tierOf(price);
    if (price.decimalPlaces() > tier.decimals || price.precision() > 5) return false;
    if (size.lt(tier.minSize)) return false;
    let worst = size.plus(isBuy ? this.#position : this.#position.neg());
    let free = isBuy ? this.#held.quote : this.#held.base;
    for (const order of this.#orders.values()) {
      if (order.side === side) {
        worst = worst.plus(order.size);
        free = free.minus(isBuy ? order.price.times(order.size) : order.size);
      } else if (isBuy ? price.gte(order.price) : price.lte(order.price)) return false;
    }
    const notional = price.times(size);
    if (free.lt(isBuy ? notional : size)) return false;
    if (nowMs - this.#lastMessageMs > limits.staleMs) return false;
    const mid = this.#mid();
    if (mid === undefined || price.minus(mid).abs().div(mid).gt(limits.collar)) return false;
    if (size.gt(limits.maxOrderSize) || notional.gt(limits.maxOrderNotional)) return false;
    return worst.lte(limits.maxPosition) && this.#orders.size < limits.maxOpenOrders;
  }

  #sign(
    { side, price, size }: TargetQuote,
    nowMs: number,
    replaced: string | undefined,
  ): Promise<string> {
    this.#nonce = Math.max(this.#nonce + 1, nowMs);
    const l1owner = this.#wallet.address;
    const context =
      replaced === undefined
        ? {
            l1owner,
            baseToken,
            quoteToken,
            side: side === "BUY" ? 0 : 1,
            price: price.toFixed(),
            quantity: size.toFixed(),
            orderType: 0,
            orderMode: 0,
          }
        : { l1owner, orderId: replaced, newPrice: price.toFixed(), newQty: size.toFixed() };
    return this.#wallet.signTransaction({
      type: 0,
      chainId: this.#terms.chainId,
      nonce: this.#nonce,
      gasLimit: 0x30000,
      gasPrice: 0,
      to: CONTRACT,
      value: 0,
      data: `${replaced === undefined ? "0x21" : "0x24"}${hexlify(toUtf8Bytes(JSON.stringify(context))).slice(2)}`,
    });
  }
}

/** Levels of one side, the best first. */
class PlainSide {
  readonly #sign: 1 | -1;
  readonly #levels: { readonly price: Decimal; quantity: Decimal }[] = [];

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  set(priceText: string, quantityText: string): void {
    const price = new Decimal(priceText);
    const quantity = new Decimal(quantityText);
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.#levels[middle];
      if (level !== undefined && level.price.cmp(price) * this.#sign < 0) low = middle + 1;
      else high = middle;
    }
    const found = this.#levels[low];
    const isThere = found !== undefined && found.price.eq(price);
    if (quantity.isZero()) {
      if (isThere) this.#levels.splice(low, 1);
    } else if (isThere) found.quantity = quantity;
    else this.#levels.splice(low, 0, { price, quantity });
  }

  /** The best price with quantity of another account. */
  bestLess(own: (price: Decimal) => Decimal): Decimal | undefined {
    return this.#levels.find(({ price, quantity }) => quantity.gt(own(price)))?.price;
  }
}
