import { OWN_MARKET, partName } from "../domain/market-roles.ts";
import { plainText } from "../base/plain-text.ts";
import { BookSync } from "../book/book-sync.ts";
import { BookLessOwn } from "../book/book-view.ts";
import { Decimal } from "../domain/decimal.ts";
import { addFixed, fixedText, fixedToNumber, mulFixed, ZERO } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import { feedBook } from "../kernel/feed-book.ts";
import type { Input } from "../kernel/input.ts";
import { countNote, marketOfNote, noCounts, type StrategyNote } from "../metrics/counters.ts";
import { Denials } from "../metrics/denials.ts";
import { Markouts } from "../metrics/markouts.ts";
import { PnlAttribution } from "../metrics/pnl-attribution.ts";
import type { ValuedPosition } from "../metrics/portfolio.ts";
import { positionFigures } from "../metrics/position-figures.ts";
import { sumMoney } from "../metrics/sum-text.ts";
import type { CarriedItem } from "../orders/carried.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import { type BookedPosition, PositionBook } from "../orders/position-book.ts";
import { type HistoryPoint, MAX_POINTS, pointAt, seriesNames } from "./history.ts";
import type { FillRow, LadderRow, OrderRow } from "./api-rows.ts";
import { QueueEstimates } from "./queue-estimates.ts";
import type { StrategyPanelSnapshot } from "./snapshot.ts";

const LADDER_ROWS = 11;
const MAX_FILLS = 200;
const POINT_MS = 1000;
const MARKOUT_HORIZONS_MS = [1_000, 10_000, 60_000];

const roleTexts = {
  stop: "stop",
  take: "take",
  takeProfit: "take profit",
  stopLoss: "stop loss",
} as const;

/** The order's state; for a stop order or a leg, its role comes first. */
function stateText({ role, state, waitsForTrigger }: OrderSnapshot): string {
  if (role === "quote") return state;
  return `${roleTexts[role]}, ${waitsForTrigger && state === "working" ? "waiting" : state}`;
}

/** Folds the kernel's inputs and notes into the panel of one strategy in one market. */
export class StrategyPanel {
  readonly strategy: string;
  /** `maker` in the strategy's own market, `maker/hedge` in another. */
  readonly name: string;
  readonly #market: Market;
  readonly #sync: BookSync;
  /** Of this run. */
  readonly #run: PnlAttribution;
  /** Of this run. */
  readonly #markouts = new Markouts(MARKOUT_HORIZONS_MS);
  /** Of all runs, as the kernel leaves it to the next one. */
  readonly #positions = new PositionBook();
  readonly #orders: OwnOrders;
  readonly #fills: (FillRow & { readonly seenMs: number })[] = [];
  readonly #history: HistoryPoint[] = [];
  /** The kernel's first step notes a reason for each side that is not quoted, and none for one with orders of an earlier run. */
  readonly #reasons: Record<Side, string | null> = { BUY: null, SELL: null };
  #risk: StrategyPanelSnapshot["risk"] = { step: "normal", reason: "" };
  #left: string | null = null;
  readonly #queue = new QueueEstimates();
  readonly #counts = noCounts();
  readonly #denials = new Denials();
  /** Of this run, quote token. */
  #volume = ZERO;
  #lastPointMs = 0;
  /** Newest time of the markouts, for which none may go back. */
  #markoutMs = 0;

  /** `orders` holds the orders of all strategies; the caller keeps it up to date. */
  constructor(
    {
      strategy,
      role = OWN_MARKET,
      market,
    }: { readonly strategy: string; readonly role?: string | undefined; readonly market: Market },
    orders: OwnOrders,
  ) {
    this.strategy = strategy;
    this.name = partName(strategy, role);
    this.#orders = orders;
    this.#market = market;
    this.#sync = new BookSync(market.marketId);
    this.#run = new PnlAttribution(market);
  }

  get marketId(): MarketId {
    return this.#market.marketId;
  }

  input(input: Input): void {
    const { marketId } = this;
    feedBook(this.#sync, input);
    if (input.type === "trade" && input.trade.marketId === marketId) {
      this.#queue.trade(input.trade);
    } else if (input.type === "restored") {
      for (const item of input.restored.carried) this.carried(item);
    }
  }

  /** `fillNumber`: how many fills of the bot there were, with this one. */
  note(note: StrategyNote, nowMs: number, fillNumber: number): void {
    if (note.strategy !== this.strategy) return;
    const { marketId } = this.#market;
    if ((marketOfNote(note) ?? marketId) !== marketId) return;
    countNote(this.#counts, note);
    if (note.type === "fill") this.#fill(note.fill, nowMs, fillNumber);
    else if (note.type === "order") this.#follow(note.order);
    else if (note.type === "denied") this.#denials.note(note);
    else if (note.type === "riskStanding") {
      this.#risk = { step: note.step, reason: plainText(note.reason) };
    } else if (note.type === "quoteReason") {
      this.#reasons[note.side] = note.reason === undefined ? null : plainText(note.reason);
    }
  }

  /** What earlier runs left, and what this one leaves to the next. */
  carried(item: CarriedItem): void {
    if (item.type === "left" && item.marketId === this.#market.marketId) {
      this.#left = item.reason === undefined ? null : plainText(item.reason);
    }
    if (item.type !== "position" || item.strategy !== this.strategy) return;
    if (item.marketId === this.#market.marketId) this.#positions.restore(item);
  }

  /** Adds a point to the history if a second has passed since the last one. */
  tick(nowMs: number): void {
    if (nowMs - this.#lastPointMs < POINT_MS) return;
    this.#lastPointMs = nowMs;
    const view = this.#view();
    const mid = view?.mid;
    this.#queue.follow(this.#live(), view);
    this.#markoutMid(nowMs, mid);
    const orders = this.#live();
    const { position } = this.#booked;
    this.#history.push(pointAt(nowMs, { mid, orders, position }));
    if (this.#history.length > MAX_POINTS) this.#history.shift();
  }

  /** The history contains only points after `historySinceMs`, and the fills those seen from then on. */
  snapshot(
    nowMs: number,
    historySinceMs: number,
  ): Omit<StrategyPanelSnapshot, "uptime" | "described" | "standstill" | "reported"> {
    const own = this.#ownByPrice();
    const view = this.#view(own);
    const mid = view?.mid ?? null;
    this.#queue.follow(this.#live(), view);
    const counts = this.#counts;
    return {
      strategy: this.strategy,
      name: this.name,
      marketId: this.#market.marketId,
      ticker: this.#market.ticker,
      book: {
        state: this.#sync.state,
        bids: this.#ladder("BUY", own.BUY),
        asks: this.#ladder("SELL", own.SELL),
        mid,
        spread: view?.spread ?? null,
      },
      reason: { ...this.#reasons },
      left: this.#left,
      risk: this.#risk,
      denied: this.#denials.rows(),
      orders: this.#orderRows(),
      fills: this.#fills.flatMap(({ seenMs, ...row }) => (seenMs < historySinceMs ? [] : [row])),
      position: positionFigures([this.#booked], view?.mid),
      run: {
        inventory: fixedText(this.#run.position.base),
        pnl: sumMoney([this.#run.position.totalAt(view?.mid)]),
        volume: fixedText(this.#volume),
        parts: this.#parts(view?.mid),
      },
      markouts: this.#markoutRows(nowMs),
      counts: {
        placed: counts.quotesPlaced,
        kept: counts.quotesKept,
        replaced: counts.quotesReplaced,
        canceled: counts.quotesCanceled,
        fills: counts.fills,
        rejected: counts.ordersRejected,
      },
      series: seriesNames,
      history: this.#history.filter(([timeMs]) => timeMs > historySinceMs),
    };
  }

  /** Its live orders in this market: the strategy may have traded another one in an earlier run. */
  #live(): OrderSnapshot[] {
    const { marketId } = this.#market;
    return [...this.#orders.live(this.strategy)].filter((order) => order.marketId === marketId);
  }

  /** Live orders, without legs that wait for their quote to be filled. */
  #orderRows(): OrderRow[] {
    const rows: OrderRow[] = [];
    for (const order of this.#live()) {
      if (order.phase === "pending") continue;
      rows.push({
        orderId: order.orderId ?? null,
        side: order.side,
        price: order.stopPrice ?? order.price,
        remaining: fixedText(order.remaining),
        madeMs: order.madeAtMs,
        queueAhead: this.#queue.of(order.intent) ?? null,
        state: stateText(order),
      });
    }
    return rows;
  }

  get #booked(): BookedPosition {
    return this.#positions.of(this.strategy, this.#market.marketId);
  }

  get valued(): ValuedPosition {
    return { booked: this.#booked, mid: this.#view()?.mid };
  }

  #fill(fill: Fill, seenMs: number, fillNumber: number): void {
    const mid = this.#view()?.mid;
    this.#run.fill(fill, mid);
    this.#markoutMid(seenMs, mid);
    this.#markouts.add({
      orderId: fill.orderId,
      side: fill.side,
      price: fixedToNumber(fill.price),
      quantity: fixedToNumber(fill.quantity),
      timeMs: this.#markoutMs,
    });
    this.#volume = addFixed(this.#volume, mulFixed(fill.price, fill.quantity));
    this.#fills.unshift({
      seenMs,
      fill: fillNumber,
      orderId: fill.orderId,
      tradeId: fill.tradeId,
      timeMs: fill.timeMs,
      side: fill.side,
      price: fixedText(fill.price),
      quantity: fixedText(fill.quantity),
      isMaker: fill.isMaker,
    });
    if (this.#fills.length > MAX_FILLS) this.#fills.pop();
  }

  #markoutMid(nowMs: number, mid: number | undefined): void {
    this.#markoutMs = Math.max(this.#markoutMs, nowMs);
    if (mid === undefined) this.#markouts.lost(this.#markoutMs);
    else this.#markouts.mid(this.#markoutMs, mid);
  }

  /** An order that ended is filled no more. */
  #follow({ phase, orderId }: OrderSnapshot): void {
    if (phase === "ended" && orderId !== undefined) this.#markouts.ended(orderId);
  }

  #parts(mid: number | undefined): StrategyPanelSnapshot["run"]["parts"] {
    if (mid === undefined) return null;
    const { spread, inventory, fees } = this.#run.at(new Decimal(mid));
    const text = (part: Decimal): string => sumMoney([part]) ?? "0";
    return { spread: text(spread), inventory: text(inventory), fees: text(fees) };
  }

  #markoutRows(nowMs: number): StrategyPanelSnapshot["markouts"] {
    this.#markoutMs = Math.max(this.#markoutMs, nowMs);
    return this.#markouts.at(this.#markoutMs).map(({ horizonMs, all }) => {
      const { mean = null, error = null } = all?.fillToMid ?? {};
      return { horizonMs, bps: mean, error: error ?? null, orders: all?.orders ?? 0 };
    });
  }

  #view(own = this.#ownByPrice()): BookLessOwn | undefined {
    const { live } = this.#sync;
    return live === undefined
      ? undefined
      : new BookLessOwn(live, (side, price) => own[side].get(price) ?? 0);
  }

  #ladder(side: Side, own: ReadonlyMap<number, number>): LadderRow[] {
    const levels = this.#sync.live?.side(side).top(LADDER_ROWS) ?? new Float64Array();
    const rows: LadderRow[] = [];
    for (let at = 0; at + 1 < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      rows.push([price, quantity, Math.min(quantity, own.get(price) ?? 0)]);
    }
    return rows;
  }

  /** Quantity of own resting orders by price. */
  #ownByPrice(): Record<Side, Map<number, number>> {
    const own = { BUY: new Map<number, number>(), SELL: new Map<number, number>() };
    for (const { isResting, side, price, remaining } of this.#live()) {
      if (!isResting) continue;
      own[side].set(price, (own[side].get(price) ?? 0) + fixedToNumber(remaining));
    }
    return own;
  }
}
