import { Decimal } from "../domain/decimal.ts";
import { addFixed, mulFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { Input } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import { isOver } from "../orders/order-change.ts";
import { Position } from "../orders/position.ts";
import { Histogram } from "./histogram.ts";
import { Uptime } from "./uptime.ts";

/** One order of ours that has not ended as far as the notes say. */
interface OpenOrder {
  readonly side: Side;
  readonly isQuote: boolean;
  /** The venue said that it has it. */
  isAcked: boolean;
  /** A cancel of it was sent. */
  isCanceled: boolean;
}

/** What is counted alike for one strategy and for the whole run. */
export interface Counts {
  quotesPlaced: number;
  quotesKept: number;
  quotesReplaced: number;
  /** Of those, the ones moved by a modify: one command instead of two. */
  quotesModified: number;
  quotesCanceled: number;
  fills: number;
  makerFills: number;
  takerFills: number;
  ordersRejected: number;
  /** Stop orders that were sent; legs of quotes are not among them. */
  stopsPlaced: number;
  /** Stop orders and stop-loss legs that fired. */
  stopsTriggered: number;
}

export function noCounts(): Counts {
  return {
    quotesPlaced: 0,
    quotesKept: 0,
    quotesReplaced: 0,
    quotesModified: 0,
    quotesCanceled: 0,
    fills: 0,
    makerFills: 0,
    takerFills: 0,
    ordersRejected: 0,
    stopsPlaced: 0,
    stopsTriggered: 0,
  };
}

function newOrder(side: Side, isQuote: boolean): OpenOrder {
  return { side, isQuote, isAcked: false, isCanceled: false };
}

/** Told when an acknowledged order begins (1) or ceases (-1) to rest. */
export type RestingListener = (side: Side, by: 1 | -1) => void;

/** One strategy's part of the summary. Memory is bounded by its open orders. */
export class StrategyFold {
  readonly name: string;
  readonly position: Position;
  readonly counts = noCounts();
  readonly uptime: Uptime;
  readonly latency = new Histogram();
  volumeBase: Fixed = ZERO;
  volumeQuote: Fixed = ZERO;
  /** Placed in the newest step and not signed yet, by intent. */
  readonly #unsigned = new Map<number, OpenOrder>();
  readonly #orders = new Map<OrderId, OpenOrder>();
  readonly #restingChanged: RestingListener;

  constructor(name: string, market: Market, startMs: number, restingChanged: RestingListener) {
    this.name = name;
    this.position = new Position(market);
    this.uptime = new Uptime(startMs);
    this.#restingChanged = restingChanged;
  }

  /** Orders whose fate is not known: placed, and neither acknowledged nor ended. */
  get unknownOutcomes(): number {
    let count = this.#unsigned.size;
    for (const order of this.#orders.values()) if (!order.isAcked) count += 1;
    return count;
  }

  input(input: Input): void {
    if (input.type === "signed") {
      const order = this.#unsigned.get(input.intent);
      if (order === undefined) return;
      this.#unsigned.delete(input.intent);
      this.#orders.set(input.txHash, order);
    } else if (input.type === "restored") {
      for (const { strategy, orderId, side, leg, stop } of input.restored.orders) {
        // What becomes of a leg is told when it is placed.
        if (strategy !== this.name || leg !== undefined) continue;
        this.#orders.set(orderId, newOrder(side, stop === undefined));
      }
    }
  }

  note(note: Note): void {
    const { counts } = this;
    switch (note.type) {
      case "placed":
        counts.quotesPlaced += 1;
        if (note.replaces) counts.quotesReplaced += 1;
        if (note.byModify) counts.quotesModified += 1;
        this.#unsigned.set(note.intent, newOrder(note.side, true));
        return;
      case "stopPlaced":
        counts.stopsPlaced += 1;
        this.#unsigned.set(note.intent, newOrder(note.side, false));
        return;
      case "triggered":
        counts.stopsTriggered += 1;
        return;
      case "kept":
        counts.quotesKept += note.count;
        return;
      case "cancelSent":
        if (note.role === "quote") this.#cancelSent(note.orderId);
        return;
      case "orderChanged":
        this.#orderChanged(note);
        return;
      case "fill":
        this.#fill(note.fill);
        return;
      default:
        return;
    }
  }

  /** PnL at this mid, quote token; `unrealised` is undefined when a position is open and no mid is known. */
  pnl(mid: number | undefined): { realised: Decimal; unrealised: Decimal | undefined } {
    const { base, realisedPnl } = this.position;
    const unrealised =
      base === ZERO
        ? new Decimal(0)
        : mid === undefined
          ? undefined
          : this.position.unrealisedPnl(new Decimal(mid));
    return { realised: realisedPnl, unrealised };
  }

  /** Change by token through own fills, net of fees. */
  inventory(): readonly (readonly [TokenId, Fixed])[] {
    const { market, base, quote } = this.position;
    return [
      [market.baseToken, base],
      [market.quoteToken, quote],
    ];
  }

  #cancelSent(orderId: OrderId): void {
    const order = this.#orders.get(orderId);
    if (order?.isCanceled === true) return;
    if (order !== undefined) order.isCanceled = true;
    this.counts.quotesCanceled += 1;
  }

  #orderChanged(note: Extract<Note, { type: "orderChanged" }>): void {
    const { status, side, orderId, role } = note;
    if (note.refused || status === "REJECTED") this.counts.ordersRejected += 1;
    if (orderId === undefined) return;
    let order = this.#orders.get(orderId);
    if (isOver(status)) {
      this.#orders.delete(orderId);
      if (order?.isAcked === true && order.isQuote) this.#resting(side, -1);
      return;
    }
    if (order === undefined) {
      // A leg that waits for its quote is no order of doubtful fate.
      if (status === "UNKNOWN" || status === "PENDING_NEW") return;
      // Placed by its quote; or held for never placed, and at the venue after all.
      order = newOrder(side, role === "quote");
      this.#orders.set(orderId, order);
    }
    if (status !== "UNKNOWN" && !order.isAcked) {
      order.isAcked = true;
      if (order.isQuote) this.#resting(side, 1);
    }
  }

  #resting(side: Side, by: 1 | -1): void {
    this.uptime.change(side, by);
    this.#restingChanged(side, by);
  }

  #fill(fill: Fill): void {
    const { counts } = this;
    counts.fills += 1;
    if (fill.isMaker) counts.makerFills += 1;
    else counts.takerFills += 1;
    this.volumeBase = addFixed(this.volumeBase, fill.quantity);
    this.volumeQuote = addFixed(this.volumeQuote, mulFixed(fill.price, fill.quantity));
    this.position.apply(fill);
  }
}
