import { assert } from "../base/assert.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { AccountEvent, Fill, OrderEvent, OrderEventType } from "../domain/order.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { MarketState } from "./market-state.ts";
import { syntheticHash, type Order } from "./order.ts";
import type { Block, DepthChange, TradeRecord } from "./records.ts";

/** Collects what one block does (D30) and hands it to the listener when the block is closed. */
export class BlockBuilder {
  readonly #listener: ((block: Block) => void) | undefined;
  #beforeClose: (() => void) | undefined;
  readonly #markets: MarketState[] = [];
  #orderEvents: OrderEvent[] = [];
  #accountEvents: AccountEvent[] = [];
  #trades: TradeRecord[] = [];
  #number = 0;
  #isOpen = false;
  #timeMs: UnixMs = unixMs(0);
  #txHash = "";

  constructor(listener: ((block: Block) => void) | undefined) {
    this.#listener = listener;
  }

  /** Number of the newest block; 0 before the first. */
  get number(): number {
    return this.#number;
  }

  get timeMs(): UnixMs {
    return this.#timeMs;
  }

  restore(number: number, timeMs: UnixMs): void {
    this.#number = number;
    this.#timeMs = timeMs;
  }

  /** Opens the next block. Without a transaction behind it, it gets a hash made from its number. */
  open(timeMs: UnixMs, txHash: string | undefined): void {
    assert(!this.#isOpen, "one block at a time: a listener must not act on the exchange");
    this.#isOpen = true;
    this.#number += 1;
    this.#timeMs = timeMs;
    this.#txHash = txHash ?? syntheticHash("block", this.#number);
  }

  /** An ORDER event with the order as it stands; `fill` for TRADE only. */
  orderEvent(eventType: OrderEventType, order: Order, fill?: Fill): void {
    if (order.account.isFlow || this.#listener === undefined) return;
    this.#orderEvents.push({
      eventType,
      order: order.record(),
      fill,
      blockNumber: this.#number,
      timeMs: this.#timeMs,
      txHash: this.#txHash,
    });
  }

  /** An ACCOUNT event; `parties` of a transfer. */
  accountEvent(
    eventType: AccountEvent["eventType"],
    account: Address,
    tokenId: TokenId,
    amount: Fixed,
    parties?: { readonly fromAddress: Address; readonly toAddress: Address },
  ): void {
    this.#accountEvents.push({
      eventType,
      account,
      tokenId,
      amount,
      fromAddress: parties?.fromAddress,
      toAddress: parties?.toAddress,
      blockNumber: this.#number,
      timeMs: this.#timeMs,
      txHash: this.#txHash,
    });
  }

  trade(trade: TradeRecord): void {
    this.#trades.push(trade);
  }

  /** Notes that this block changes the market's book. */
  changes(market: MarketState): void {
    if (!this.#markets.includes(market)) this.#markets.push(market);
  }

  /** What is to be done at the end of every block, inside it. */
  beforeClose(settle: () => void): void {
    this.#beforeClose = settle;
  }

  /** Closes the block: what is still due is done, depth ids are given, the listener hears of it. */
  close(): void {
    this.#beforeClose?.();
    const depth: DepthChange[] = [];
    for (const market of this.#markets) {
      if (market.isTouched) depth.push(market.closeDepth(this.#timeMs));
    }
    this.#markets.length = 0;
    this.#isOpen = false;
    if (this.#listener === undefined) {
      this.#trades = [];
      this.#accountEvents = [];
      return;
    }
    const block: Block = {
      blockNumber: this.#number,
      timeMs: this.#timeMs,
      txHash: this.#txHash,
      orderEvents: this.#orderEvents,
      accountEvents: this.#accountEvents,
      trades: this.#trades,
      depth,
    };
    this.#orderEvents = [];
    this.#accountEvents = [];
    this.#trades = [];
    this.#listener(block);
  }
}
