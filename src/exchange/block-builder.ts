import { assert } from "../base/assert.ts";
import { ScratchList } from "../base/scratch-list.ts";
import type { DepthEvent, Trade } from "../domain/depth.ts";
import type { AccountEvent, OrderEventType } from "../domain/order.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { BookedTrade } from "./booked-trade.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import { syntheticHash, type Order } from "./order.ts";
import { type EventBlock, LazyOrderEvent } from "./lazy-order-event.ts";
import type { Block, DepthChange, TradeRecord } from "./records.ts";

/** An ACCOUNT event before its block is known; the two addresses are for transfers only. */
export type NewAccountEvent = Pick<AccountEvent, "eventType" | "account" | "tokenId" | "amount"> &
  Partial<Pick<AccountEvent, "fromAddress" | "toAddress">>;

/** Gets the depth of recorded markets after its block, and recorded trades that moved no order, which have none. Times are those of the exchange. */
export interface MarketDataListener {
  trade(trade: Trade): void;
  depth(event: DepthEvent): void;
}

/** Collects the effects of one block (D30) and passes them to the listener when the block is closed. */
export class BlockBuilder implements EventBlock {
  readonly #listener: ((block: Block) => void) | undefined;
  #beforeClose: (() => void) | undefined;
  readonly #markets = new ScratchList<ExchangeMarket>();
  // Allocated on first use: most blocks have no trade, and very few have an account event.
  #orderEvents: LazyOrderEvent[] | undefined;
  #accountEvents: AccountEvent[] | undefined;
  #trades: TradeRecord[] | undefined;
  /** Most trades of a block. */
  readonly tradesMax: number;
  #tradeCount = 0;
  #number = 0;
  #isOpen = false;
  #timeMs: UnixMs = unixMs(0);
  /** Undefined: a block without a transaction, whose hash is made when it is read. */
  #txHash: string | undefined;
  /** Undefined: all market data is in blocks. */
  readonly marketData: MarketDataListener | undefined;

  constructor(
    listener: ((block: Block) => void) | undefined,
    tradesMax: number,
    marketData?: MarketDataListener,
  ) {
    this.#listener = listener;
    this.tradesMax = tradesMax;
    this.marketData = marketData;
  }

  /** Number of the newest block; 0 before the first. */
  get blockNumber(): number {
    return this.#number;
  }

  get timeMs(): UnixMs {
    return this.#timeMs;
  }

  /** A block without a transaction has a hash derived from its number. */
  get txHash(): string {
    this.#txHash ??= syntheticHash("block", this.#number);
    return this.#txHash;
  }

  /** True when the block has as many trades as it may have. */
  get isFull(): boolean {
    return this.#tradeCount >= this.tradesMax;
  }

  restore(number: number, timeMs: UnixMs): void {
    this.#number = number;
    this.#timeMs = timeMs;
  }

  /** Opens the next block. */
  open(timeMs: UnixMs, txHash: string | undefined): void {
    this.#begin(timeMs, txHash);
    this.#isOpen = true;
  }

  /** The next block is market data alone, which the caller passes to `marketData`. */
  pass(timeMs: UnixMs): void {
    this.#begin(timeMs, undefined);
  }

  #begin(timeMs: UnixMs, txHash: string | undefined): void {
    assert(!this.#isOpen, "one block at a time: a listener must not act on the exchange");
    this.#number += 1;
    this.#tradeCount = 0;
    this.#timeMs = timeMs;
    this.#txHash = txHash;
  }

  /** An ORDER event with the order's current state; `trade` for TRADE only. */
  orderEvent(eventType: OrderEventType, order: Order, trade?: BookedTrade): void {
    if (this.#listener === undefined) return;
    const event = new LazyOrderEvent(eventType, order, trade, this);
    this.#orderEvents = withItem(this.#orderEvents, event);
  }

  /** An ACCOUNT event of this block. */
  accountEvent(event: NewAccountEvent): void {
    if (this.#listener === undefined) return;
    this.#accountEvents = withItem(this.#accountEvents, {
      ...event,
      fromAddress: event.fromAddress,
      toAddress: event.toAddress,
      blockNumber: this.#number,
      timeMs: this.#timeMs,
      txHash: this.txHash,
    });
  }

  trade(trade: TradeRecord): void {
    this.#tradeCount += 1;
    if (this.#listener !== undefined) this.#trades = withItem(this.#trades, trade);
  }

  /** Marks the market's book as changed by this block. */
  changes(market: ExchangeMarket): void {
    if (!this.#markets.includes(market)) this.#markets.add(market);
  }

  /** Sets what runs at the end of every block, as part of it. */
  beforeClose(settle: () => void): void {
    this.#beforeClose = settle;
  }

  /** Closes the block: runs `settle`, assigns depth ids, and calls the listener. */
  close(): void {
    this.#beforeClose?.();
    const { marketData } = this;
    let depth: DepthChange[] | undefined;
    let recordedDepth: DepthEvent[] | undefined;
    for (let at = 0; at < this.#markets.size; at += 1) {
      const market = this.#markets.at(at);
      if (marketData === undefined || market.recorded === undefined) {
        const change = market.closeDepth(this.#timeMs);
        if (change !== undefined) depth = withItem(depth, change);
      } else {
        const event = market.recorded.closeEvent(this.#timeMs);
        if (event !== undefined) recordedDepth = withItem(recordedDepth, event);
      }
    }
    this.#markets.clear();
    this.#isOpen = false;
    this.#publish(depth ?? none);
    for (const event of recordedDepth ?? none) marketData?.depth(event);
  }

  #publish(depth: readonly DepthChange[]): void {
    if (this.#listener === undefined) return;
    const block: Block = {
      blockNumber: this.#number,
      timeMs: this.#timeMs,
      txHash: this.txHash,
      orderEvents: this.#orderEvents ?? none,
      accountEvents: this.#accountEvents ?? none,
      trades: this.#trades ?? none,
      depth,
    };
    this.#orderEvents = undefined;
    this.#accountEvents = undefined;
    this.#trades = undefined;
    this.#listener(block);
  }
}

const none: readonly never[] = [];

/** An array literal of one item reserves room for one; pushing into an empty array reserves room for many. */
function withItem<Item>(items: Item[] | undefined, item: Item): Item[] {
  if (items === undefined) return [item];
  items.push(item);
  return items;
}
