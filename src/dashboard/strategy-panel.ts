import { BookSync } from "../book/book-sync.ts";
import { BookLessOwn } from "../book/book-view.ts";
import { Decimal } from "../domain/decimal.ts";
import { fixedText, fixedToNumber, subFixed, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { Input } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderRole } from "../orders/bracket.ts";
import { isOver } from "../orders/order-change.ts";
import { Position } from "../orders/position.ts";
import type { StrategyPanelSnapshot, FillRow, HistoryPoint, LadderRow } from "./snapshot.ts";

const LADDER_ROWS = 11;
const MAX_FILLS = 200;
const MAX_POINTS = 3600;
const POINT_MS = 1000;

interface ShownOrder {
  readonly side: Side;
  readonly role: OrderRole;
  /** Of a stop order that waits: its stop price. */
  price: number;
  remaining: Fixed;
  readonly madeAtMs: number;
  state: string;
  /** Waits for a trade at its price: it is not in the book. */
  waits: boolean;
  orderId: OrderId | undefined;
}

const roleWords = { stop: "stop", takeProfit: "take profit", stopLoss: "stop loss" } as const;

/** The state, for what is no quote with what it is. */
function stateText({ role, state, waits }: ShownOrder): string {
  if (role === "quote") return state;
  return `${roleWords[role]}, ${waits && state === "working" ? "waiting" : state}`;
}

/** What the page shows of one strategy, folded from what the kernel was told and what it noted. */
export class StrategyPanel {
  readonly #strategy: string;
  readonly #market: Market;
  readonly #sync: BookSync;
  readonly #position: Position;
  readonly #orders = new Map<number, ShownOrder>();
  readonly #fills: FillRow[] = [];
  readonly #history: HistoryPoint[] = [];
  readonly #reasons: Record<Side, string | null> = { BUY: "starting", SELL: "starting" };
  readonly #counts = { placed: 0, kept: 0, replaced: 0, canceled: 0, fills: 0, rejected: 0 };
  #lastPointMs = 0;

  constructor(strategy: string, market: Market) {
    this.#strategy = strategy;
    this.#market = market;
    this.#sync = new BookSync(market.marketId);
    this.#position = new Position(market);
  }

  input(input: Input): void {
    const { marketId } = this.#market;
    if (input.type === "stream" && (input.state === "opened" || input.state === "closed")) {
      this.#sync.onStream(input.state);
    } else if (input.type === "depth" && input.event.marketId === marketId) {
      this.#sync.onDepth(input.event);
    } else if (input.type === "book" && input.snapshot.marketId === marketId) {
      this.#sync.onSnapshot(input.snapshot);
    }
  }

  note(note: Note, nowMs: number): void {
    if (!("strategy" in note) || note.strategy !== this.#strategy) return;
    switch (note.type) {
      case "placed":
        this.#counts.placed += 1;
        if (note.replaces) this.#counts.replaced += 1;
        this.#orders.set(note.intent, {
          side: note.side,
          role: "quote",
          price: note.price,
          remaining: note.quantity,
          madeAtMs: nowMs,
          state: "sent",
          waits: false,
          orderId: undefined,
        });
        return;
      case "stopPlaced":
        this.#orders.set(note.intent, {
          side: note.side,
          role: "stop",
          price: note.stopPrice,
          remaining: note.quantity,
          madeAtMs: nowMs,
          state: "sent",
          waits: true,
          orderId: undefined,
        });
        return;
      case "triggered": {
        const order = this.#orders.get(note.intent);
        if (order !== undefined) order.waits = false;
        return;
      }
      case "cancelSent":
        if (note.role === "quote") this.#counts.canceled += 1;
        for (const order of this.#orders.values()) {
          if (order.orderId === note.orderId) order.state = "canceling";
        }
        return;
      case "kept":
        this.#counts.kept += note.count;
        return;
      case "orderChanged":
        this.#orderChanged(note, nowMs);
        return;
      case "fill":
        this.#fill(note.fill);
        return;
      case "quoteReason":
        this.#reasons[note.side] = note.reason ?? null;
        return;
      default:
        return;
    }
  }

  /** Adds a point to the history when a second has passed. */
  tick(nowMs: number): void {
    if (nowMs - this.#lastPointMs < POINT_MS) return;
    this.#lastPointMs = nowMs;
    const mid = this.#view()?.mid ?? null;
    this.#history.push([
      nowMs,
      mid,
      this.#bestOwn("BUY"),
      this.#bestOwn("SELL"),
      fixedToNumber(this.#position.base),
      mid === null ? null : this.#total(mid),
    ]);
    if (this.#history.length > MAX_POINTS) this.#history.shift();
  }

  /** The history holds the points after `historySinceMs` only. */
  snapshot(nowMs: number, historySinceMs: number): StrategyPanelSnapshot {
    const view = this.#view();
    const mid = view?.mid ?? null;
    const { base, averagePrice, realisedPnl, fees } = this.#position;
    return {
      strategy: this.#strategy,
      marketId: this.#market.marketId,
      ticker: this.#market.ticker,
      book: {
        state: this.#sync.state,
        bids: this.#ladder("BUY"),
        asks: this.#ladder("SELL"),
        mid,
        spread: view?.spread ?? null,
      },
      reason: { ...this.#reasons },
      orders: [...this.#orders.values()].map((order) => ({
        side: order.side,
        price: order.price,
        remaining: fixedText(order.remaining),
        ageMs: nowMs - order.madeAtMs,
        state: stateText(order),
      })),
      fills: this.#fills,
      account: {
        inventory: fixedText(base),
        averagePrice: averagePrice?.toSignificantDigits(8).toString() ?? null,
        realisedPnl: realisedPnl.toDecimalPlaces(8).toString(),
        unrealisedPnl:
          mid === null
            ? null
            : this.#position.unrealisedPnl(new Decimal(mid)).toDecimalPlaces(8).toString(),
        fees: Object.fromEntries([...fees].map(([token, fee]) => [token, fixedText(fee)])),
      },
      counts: { ...this.#counts },
      history: this.#history.filter(([timeMs]) => timeMs > historySinceMs),
    };
  }

  #orderChanged(note: Extract<Note, { type: "orderChanged" }>, nowMs: number): void {
    const { status, role } = note;
    if (note.refused || status === "REJECTED") this.#counts.rejected += 1;
    const order = this.#orders.get(note.intent);
    if (isOver(status)) {
      this.#orders.delete(note.intent);
    } else if (order === undefined) {
      if (status === "PENDING_NEW") return;
      // A leg that was placed, or an order of an earlier run that was adopted.
      this.#orders.set(note.intent, {
        side: note.side,
        role,
        price: note.stopPrice ?? note.price,
        remaining: note.remaining,
        madeAtMs: nowMs,
        state: "working",
        waits: role === "stop" || role === "stopLoss",
        orderId: note.orderId,
      });
    } else {
      order.orderId = note.orderId;
      if (order.state !== "canceling") {
        order.state = status === "UNKNOWN" ? "unknown" : "working";
      }
    }
  }

  #fill(fill: Fill): void {
    this.#counts.fills += 1;
    this.#position.apply(fill);
    for (const order of this.#orders.values()) {
      if (order.orderId === fill.orderId) {
        order.remaining = subFixed(order.remaining, fill.quantity);
      }
    }
    this.#fills.unshift({
      timeMs: fill.timeMs,
      side: fill.side,
      price: fixedText(fill.price),
      quantity: fixedText(fill.quantity),
      isMaker: fill.isMaker,
    });
    if (this.#fills.length > MAX_FILLS) this.#fills.pop();
  }

  #view(): BookLessOwn | undefined {
    const { live } = this.#sync;
    return live === undefined
      ? undefined
      : new BookLessOwn(live, (side, price) => this.#ownAt(side, price));
  }

  #ladder(side: Side): LadderRow[] {
    const levels = this.#sync.live?.side(side).top(LADDER_ROWS) ?? new Float64Array();
    const rows: LadderRow[] = [];
    for (let at = 0; at + 1 < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      rows.push([price, quantity, Math.min(quantity, this.#ownAt(side, price))]);
    }
    return rows;
  }

  #ownAt(side: Side, price: number): number {
    let sum = 0;
    for (const order of this.#orders.values()) {
      if (order.side !== side || order.waits || order.role === "stopLoss") continue;
      if (order.price === price && order.state !== "sent") {
        sum += fixedToNumber(order.remaining);
      }
    }
    return sum;
  }

  #bestOwn(side: Side): number | null {
    let best: number | null = null;
    for (const order of this.#orders.values()) {
      if (order.side !== side || order.state === "sent" || order.role !== "quote") continue;
      if (best === null || (side === "BUY" ? order.price > best : order.price < best)) {
        best = order.price;
      }
    }
    return best;
  }

  #total(mid: number): number {
    return this.#position.realisedPnl
      .plus(this.#position.unrealisedPnl(new Decimal(mid)))
      .toNumber();
  }
}
