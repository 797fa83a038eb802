import { assert } from "../base/assert.ts";
import type { FlatLevels } from "../domain/depth.ts";
import {
  addFixed,
  fixed,
  fixedFromNumber,
  minFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Ledger } from "./ledger.ts";
import type { FlowWatch, ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { ExactPrice } from "./exact-price.ts";
import { fitsPrice } from "./notional.ts";
import type { RecordIds } from "./record-ids.ts";
import { flowOrder } from "./flow-order.ts";
import type { ExchangeLevel, Order } from "./order.ts";

/** A public trade as recorded. */
export interface FlowTrade {
  readonly price: number;
  /** Base token. */
  readonly quantity: number;
  readonly isBuyerMaker: boolean;
}

/** The parts of an exchange that a flow uses. */
export interface RecordedFlowParts {
  readonly state: ExchangeMarket;
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly matching: Matching;
  readonly recordIds: RecordIds;
  /** The exchange's time, which never goes back. */
  clock(nowMs: UnixMs): UnixMs;
}

/** A flow as a row of a snapshot; its orders are saved with their levels. */
export type FlowRow = readonly [
  maker: Address,
  taker: Address,
  ignored: number,
  taken: readonly (readonly [side: Side, price: number, quantity: string])[],
];

/** More of each token than any recording trades. */
export const FUNDS = fixed("1000000000000000000000000");

/**
 * Plays a recording into one market (D35). One account holds the recorded levels, another sends the recorded trades. After each
 * recorded depth event, the flow quantity of every level equals the recorded one, even if orders traded with it in between. An
 * increase joins the back of the queue, a decrease removes from the newest flow order first. A recorded trade is an incoming
 * order limited to its price, which first removes the flow that rests better than that; its unmatched remainder is dropped. Each call
 * is one block.
 */
export class RecordedFlow implements FlowWatch {
  readonly #state: ExchangeMarket;
  readonly #blocks: BlockBuilder;
  readonly #matching: Matching;
  readonly #parts: RecordedFlowParts;
  readonly #maker: Account;
  readonly #taker: Account;
  /** Levels that trades reduced since the last depth event, with the quantity to restore. */
  readonly #taken: Readonly<Record<Side, Map<number, Fixed>>> = { BUY: new Map(), SELL: new Map() };
  #ignored = 0;

  constructor(parts: RecordedFlowParts, saved?: FlowRow) {
    const { state, ledger } = parts;
    assert(state.flow === undefined, "a market has at most one recording");
    this.#state = state;
    this.#blocks = parts.blocks;
    this.#matching = parts.matching;
    this.#parts = parts;
    if (saved === undefined) {
      // Each market has its own two addresses, so that recordings never share a balance.
      const number = parts.recordIds.next();
      this.#maker = ledger.flowAccount(flowAddress("a", number));
      this.#taker = ledger.flowAccount(flowAddress("b", number));
      for (const account of [this.#maker, this.#taker]) {
        ledger.deposit(account, state.market.baseToken, FUNDS);
        ledger.deposit(account, state.market.quoteToken, FUNDS);
      }
    } else {
      const [maker, taker, ignored, taken] = saved;
      this.#maker = ledger.account(maker);
      this.#taker = ledger.account(taker);
      this.#ignored = ignored;
      for (const [side, price, quantity] of taken) {
        this.#taken[side].set(price, BigInt(quantity) as Fixed);
      }
    }
    state.flow = this;
  }

  save(): FlowRow {
    const taken = (["BUY", "SELL"] as const).flatMap((side) =>
      [...this.#taken[side]].map(([price, quantity]) => [side, price, String(quantity)] as const),
    );
    return [this.#maker.address, this.#taker.address, this.#ignored, taken];
  }

  /** Number of recorded levels and trades that were skipped because no order can have their price or quantity. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Quantity of recorded liquidity resting at a price. */
  quantityAt(side: Side, price: number): Fixed {
    return this.#state.side(side).find(price)?.flowQuantity ?? ZERO;
  }

  /** Applies a complete recorded book: levels that are not in it lose their flow quantity. */
  snapshot(bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    this.depth(this.#withRemovals("BUY", bids), this.#withRemovals("SELL", asks), nowMs);
  }

  /** Applies a recorded depth event: absolute quantities, 0 removes a level. */
  depth(bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    this.#blocks.open(this.#parts.clock(nowMs), undefined);
    // Decreases first: the same event may remove a level that a new level of the other side would cross.
    this.#decrease("BUY", bids);
    this.#decrease("SELL", asks);
    this.#restore("BUY");
    this.#restore("SELL");
    this.#increase("BUY", bids);
    this.#increase("SELL", asks);
    this.#blocks.close();
  }

  /** Applies a recorded trade: every order that rests up to its price trades with it, by price and time. */
  trade(trade: FlowTrade, nowMs: UnixMs): void {
    if (!isUsable(trade.price, trade.quantity) || trade.quantity === 0) {
      this.#ignored += 1;
      return;
    }
    this.#blocks.open(this.#parts.clock(nowMs), undefined);
    const side = trade.isBuyerMaker ? "SELL" : "BUY";
    this.#clearBetter(opposite(side), trade.price);
    const price = fixedFromNumber(trade.price);
    const order = this.#order(this.#taker, side, price, fixedFromNumber(trade.quantity));
    this.#matching.take(this.#state, order, trade.price);
    this.#blocks.close();
  }

  filled(side: Side, price: number, flowQuantityBefore: Fixed): void {
    const taken = this.#taken[side];
    if (!taken.has(price)) taken.set(price, flowQuantityBefore);
  }

  /**
   * Removes the flow that rests better than the price of a trade. Depth is older than trades: a level that a trade passed is gone, until
   * a depth event shows it again.
   */
  #clearBetter(side: Side, price: number): void {
    const book = this.#state.side(side);
    const passed: ExchangeLevel[] = [];
    for (let rank = 0; ; rank += 1) {
      const level = book.at(rank);
      if (level === undefined || level.price === price || !book.reaches(level, price)) break;
      if (level.flowQuantity > 0n) passed.push(level);
    }
    for (const level of passed) {
      this.filled(side, level.price, level.flowQuantity);
      this.#takeNewest(side, level, level.flowQuantity);
    }
  }

  #decrease(side: Side, levels: FlatLevels): void {
    const book = this.#state.side(side);
    const taken = this.#taken[side];
    for (let at = 0; at + 1 < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      if (!isUsable(price, quantity)) {
        this.#ignored += 1;
        continue;
      }
      if (taken.size > 0) taken.delete(price);
      const level = book.find(price);
      if (level === undefined) continue;
      const excess = subFixed(level.flowQuantity, fixedFromNumber(quantity));
      if (excess > 0n) this.#takeNewest(side, level, excess);
    }
  }

  #increase(side: Side, levels: FlatLevels): void {
    for (let at = 0; at + 1 < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      if (quantity > 0 && isUsable(price, quantity))
        this.#raiseTo(side, price, fixedFromNumber(quantity));
    }
  }

  /** Restores levels that trades reduced and that the event does not mention. */
  #restore(side: Side): void {
    const taken = this.#taken[side];
    for (const [price, quantity] of taken) this.#raiseTo(side, price, quantity);
    taken.clear();
  }

  #takeNewest(side: Side, level: ExchangeLevel, excess: Fixed): void {
    let left = excess;
    let order = level.tail;
    while (left > 0n && order !== undefined) {
      const { previous } = order;
      if (order.account === this.#maker) {
        const part = minFixed(left, order.remaining);
        left = subFixed(left, part);
        if (part === order.remaining) {
          level.unlink(order);
        } else {
          order.remaining = subFixed(order.remaining, part);
          level.add(order, negFixed(part));
        }
      }
      order = previous;
    }
    assert(left === 0n, "the flow orders of a level add up to its flow quantity");
    this.#touch(side, level);
  }

  #raiseTo(side: Side, price: number, quantity: Fixed): void {
    const level = this.#state.side(side).find(price);
    const missing = subFixed(quantity, level?.flowQuantity ?? ZERO);
    if (missing <= 0n) return;
    // Fills crossed orders of other accounts first; the quantity that rests still equals the recorded one.
    const crossed = this.#crossedBy(side, price);
    const order = this.#order(
      this.#maker,
      side,
      fixedFromNumber(price),
      addFixed(missing, crossed),
    );
    if (crossed > 0n) this.#matching.take(this.#state, order, price);
    // Two legs share one quantity, but each was counted as crossed in full.
    order.remaining = minFixed(order.remaining, missing);
    const resting =
      level ?? this.#state.side(side).ensure(new ExactPrice(order.price, price, this.#state.rules));
    resting.append(order);
    this.#touch(side, resting);
  }

  /** Quantity of other accounts that an order at this price would trade with. */
  #crossedBy(side: Side, price: number): Fixed {
    const makers = this.#state.side(opposite(side));
    let crossed = ZERO;
    for (let rank = 0; ; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined || !makers.reaches(level, price)) return crossed;
      crossed = addFixed(crossed, subFixed(level.quantity, level.flowQuantity));
    }
  }

  #withRemovals(side: Side, levels: FlatLevels): FlatLevels {
    const named = new Set<number>();
    for (let at = 0; at < levels.length; at += 2) named.add(levels[at] ?? 0);
    const gone: number[] = [];
    const book = this.#state.side(side);
    for (let rank = 0; rank < book.size; rank += 1) {
      const level = book.at(rank);
      if (level !== undefined && level.flowQuantity > 0n && !named.has(level.price))
        gone.push(level.price, 0);
    }
    for (const price of this.#taken[side].keys()) {
      if (!named.has(price)) gone.push(price, 0);
    }
    return Float64Array.of(...levels, ...gone);
  }

  #order(account: Account, side: Side, price: Fixed, quantity: Fixed): Order {
    const terms = { account, side, price, quantity };
    return flowOrder(this.#parts.recordIds, this.#blocks, this.#state.market, terms);
  }

  #touch(side: Side, level: ExchangeLevel): void {
    this.#blocks.changes(this.#state);
    this.#state.touch(side, level);
  }
}

/** Whether an order can have this price and quantity; a quantity of 0 removes a level. */
export function isUsable(price: number, quantity: number): boolean {
  return (
    price > 0 &&
    Number.isFinite(price) &&
    quantity >= 0 &&
    Number.isFinite(quantity) &&
    fitsPrice(price)
  );
}

/** Address of one of the two accounts behind recorded liquidity: `a` holds its levels, `b` sends its trades. */
export function flowAddress(kind: "a" | "b", number: number): Address {
  return `0xf10${kind}${number.toString(16).padStart(36, "0")}` as Address;
}
