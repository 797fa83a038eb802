import { getOrMake } from "../base/get-or-make.ts";
import { BookSync } from "../book/book-sync.ts";
import { BookLessOwn } from "../book/book-view.ts";
import { addFixed, mulFixed, negFixed, type Fixed, ZERO } from "../domain/fixed.ts";
import { type MarketId, tokensOf } from "../domain/ids.ts";
import { OWN_MARKET, partsOf } from "../domain/market-roles.ts";
import { BY_HAND, transferOf } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import { DAY_MS } from "../domain/time.ts";
import type { BatchEntry, Entry, RunHeader, SegmentHead, StrategyFill } from "../journal/entry.ts";
import { OwnFills } from "../journal/own-fills.ts";
import type { CarriedItem, Input } from "../kernel/input.ts";
import { dayOf } from "../orders/day-start.ts";
import { keepsObligation, type Obligation } from "../orders/obligation.ts";
import { Position } from "../orders/position.ts";
import { RestingQuotes } from "./resting-quotes.ts";
import type { UptimeTrack } from "./uptime.ts";

/** A strategy in a market on one UTC day. Positions include everything since the strategy's first fill. */
export interface PartDay {
  readonly strategy: string;
  readonly opening: Position;
  readonly closing: Position;
  fills: number;
  byHand: number;
  volumeBase: Fixed;
  volumeQuote: Fixed;
  /** Base that a person added with `position set` or `reset`, which is no trade. */
  corrected: Fixed;
  readonly upMs: Record<UptimeTrack, number>;
}

/** Money that entered or left the account; negative: it left. */
export interface Movement {
  readonly timeMs: number;
  readonly type: "deposit" | "withdrawal" | "transfer";
  readonly tokenId: string;
  readonly amount: Fixed;
  readonly txHash: string;
}

/** What a journal has of one UTC day. */
export interface AccountDay {
  /** Days since 1970. */
  readonly day: number;
  readonly parts: Map<string, PartDay>;
  /** The last mids, without own orders; a market has none before its first book. */
  mids: ReadonlyMap<MarketId, number>;
  readonly movements: Map<string, Movement>;
  /** How long a bot was running. */
  ranMs: number;
}

/** Mids are read this often. */
const MID_MS = 1_000;

/**
 * Adds up a journal by UTC days, over all its runs: positions from the booked trades, by the venue's time of each, so that a fill that
 * is booked after midnight counts on its day; uptime from the orders that are known to rest while a stream is open. Memory is bounded by the number
 * of days.
 */
export class AccountFold {
  /** Oldest first. */
  readonly days: AccountDay[] = [];
  readonly #obligations: ReadonlyMap<string, Obligation>;
  /** What the days begin with. */
  readonly #before = new Map<string, PartDay>();
  readonly #syncs = new Map<MarketId, BookSync>();
  readonly #mids = new Map<MarketId, number>();
  #header: RunHeader | undefined;
  #own = new OwnFills();
  #resting = new RestingQuotes();
  #isStreaming = false;
  #hasChanged = true;
  #isUp: ReadonlyMap<string, ReadonlySet<UptimeTrack>> = new Map();
  /** Undefined between runs. */
  #nowMs: number | undefined;
  #midMs = 0;
  #firstMs: number | undefined;
  #lastMs = 0;

  constructor(obligations: ReadonlyMap<string, Obligation> = new Map()) {
    this.#obligations = obligations;
  }

  /** Begins with a run, or with the oldest part of it that is left. */
  begin({ header, restored }: Pick<SegmentHead, "header" | "restored">): void {
    this.finish();
    if (this.#header === undefined)
      for (const item of restored.carried) this.#carry(item, this.#before);
    this.#header = header;
    this.#own = new OwnFills();
    this.#own.restore(restored.orders);
    this.#resting = new RestingQuotes();
    this.#resting.restore(restored.orders);
    this.#isStreaming = false;
    this.#hasChanged = true;
    this.#nowMs = undefined;
    this.#syncs.clear();
    for (const { marketId } of header.markets) this.#syncs.set(marketId, new BookSync(marketId));
  }

  /** Adds an entry; returns the trades that it booked. */
  apply(entry: Entry): readonly StrategyFill[] {
    if (entry.type === "batch") this.#advance(entry.entry.batch.nowMs);
    const trades = this.#own.apply(entry);
    for (const trade of trades) this.#book(trade);
    if (entry.type === "batch") this.#batch(entry.entry);
    if (entry.type === "adjusted" && entry.adjusted.trade === undefined) {
      const { parts } = this.at(dayOf(entry.adjusted.nowMs));
      for (const item of entry.adjusted.items) this.#carry(item, parts);
    }
    return trades;
  }

  /** How much of a day the journal covers, pauses between its runs included: all of it but before its beginning and after its end. */
  spanMs({ day }: AccountDay): number {
    const fromMs = Math.max(day * DAY_MS, this.#firstMs ?? 0);
    return Math.max(0, Math.min((day + 1) * DAY_MS, this.#lastMs) - fromMs);
  }

  /** The day, as it is so far. */
  at(day: number): AccountDay {
    const known = this.days.findLast((one) => one.day <= day);
    if (known?.day === day) return known;
    const parts = [...(known?.parts ?? this.#before)].map(
      ([key, { strategy, closing }]) => [key, newPart(strategy, closing)] as const,
    );
    const mids = known?.mids ?? new Map<MarketId, number>();
    const made: AccountDay = {
      day,
      parts: new Map(parts),
      mids,
      movements: new Map(),
      ranMs: 0,
    };
    this.days.splice(known === undefined ? 0 : this.days.indexOf(known) + 1, 0, made);
    return made;
  }

  /** Values the last day at the newest mids. */
  finish(): void {
    this.#readMids();
    const last = this.days.at(-1);
    if (last !== undefined) last.mids = new Map(this.#mids);
  }

  #book({ strategy, fill }: StrategyFill): void {
    const day = this.at(dayOf(fill.timeMs));
    const part = partIn(day.parts, strategy, fill.marketId);
    part.closing.apply(fill);
    part.fills += 1;
    if (fill.orderId === BY_HAND) part.byHand += 1;
    part.volumeBase = addFixed(part.volumeBase, fill.quantity);
    part.volumeQuote = addFixed(part.volumeQuote, mulFixed(fill.price, fill.quantity));
    // Of a fill that is booked late.
    for (const later of this.days.slice(this.days.indexOf(day) + 1)) {
      const { opening, closing } = partIn(later.parts, strategy, fill.marketId);
      opening.apply(fill);
      closing.apply(fill);
    }
  }

  #carry(item: CarriedItem, parts: Map<string, PartDay>): void {
    if (item.type !== "position") return;
    const part = partIn(parts, item.strategy, item.marketId);
    const before = part.closing.base;
    part.closing.restore(item);
    part.corrected = addFixed(part.corrected, addFixed(part.closing.base, negFixed(before)));
  }

  #batch(entry: BatchEntry): void {
    for (const input of entry.batch.inputs) this.#input(input);
    if (this.#resting.apply(entry)) this.#hasChanged = true;
  }

  /** Moves the time on while everything stays as it is. */
  #advance(nowMs: number): void {
    if (nowMs >= this.#midMs + MID_MS || dayOf(nowMs) !== dayOf(this.#midMs)) {
      this.#midMs = nowMs;
      this.#readMids();
    }
    if (this.#hasChanged) this.#isUp = this.#upNow();
    this.#hasChanged = false;
    this.#firstMs ??= nowMs;
    this.#lastMs = Math.max(this.#lastMs, nowMs);
    let fromMs = this.#nowMs ?? nowMs;
    this.#nowMs = Math.max(fromMs, nowMs);
    for (;;) {
      const day = this.at(dayOf(fromMs));
      const untilMs = Math.min(this.#nowMs, (day.day + 1) * DAY_MS);
      day.ranMs += untilMs - fromMs;
      for (const [key, tracks] of this.#isUp) {
        const part = day.parts.get(key);
        if (part !== undefined) for (const track of tracks) part.upMs[track] += untilMs - fromMs;
      }
      if (untilMs >= this.#nowMs && dayOf(untilMs) === day.day) return;
      day.mids = new Map(this.#mids);
      fromMs = untilMs;
    }
  }

  #upNow(): ReadonlyMap<string, ReadonlySet<UptimeTrack>> {
    const up = new Map<string, ReadonlySet<UptimeTrack>>();
    for (const { strategy, marketId, role } of partsOf(this.#header?.strategies ?? [])) {
      const tracks = new Set<UptimeTrack>();
      const quotes = this.#isStreaming ? this.#resting.of(strategy, marketId) : [];
      for (const { side } of quotes) tracks.add(side);
      const obligation = role === OWN_MARKET ? this.#obligations.get(strategy) : undefined;
      if (obligation !== undefined && keepsObligation(quotes, obligation)) tracks.add("obligation");
      up.set(`${strategy} ${marketId}`, tracks);
      const last = this.days.at(-1);
      if (last !== undefined) partIn(last.parts, strategy, marketId);
    }
    return up;
  }

  #readMids(): void {
    for (const [marketId, { live }] of this.#syncs) {
      if (live === undefined) continue;
      const own = (side: Side, price: number) => this.#resting.quantityAt(marketId, side, price);
      const { mid } = new BookLessOwn(live, own);
      if (mid !== undefined) this.#mids.set(marketId, mid);
    }
  }

  #input(input: Input): void {
    switch (input.type) {
      case "stream":
        if (input.state !== "opened" && input.state !== "closed") return;
        if (input.state === "closed") this.#readMids();
        this.#isStreaming = input.state === "opened";
        this.#hasChanged = true;
        for (const sync of this.#syncs.values()) sync.onStream(input.state);
        return;
      case "depth":
        this.#syncs.get(input.event.marketId)?.onDepth(input.event);
        return;
      case "book":
        this.#syncs.get(input.snapshot.marketId)?.onSnapshot(input.snapshot);
        return;
      case "accountEvent": {
        const { eventType, amount, fromAddress, toAddress, ...event } = input.event;
        const owner = this.#header?.kernel.owner;
        if (eventType === "DEPOSIT") this.#move({ ...event, type: "deposit", amount });
        else if (eventType === "WITHDRAW") {
          this.#move({ ...event, type: "withdrawal", amount: negFixed(amount) });
        } else if (owner !== undefined && fromAddress !== undefined && toAddress !== undefined) {
          const row = transferOf(owner, { ...event, amount, fromAddress, toAddress });
          this.#move({ ...row, type: "transfer" });
        }
        return;
      }
      case "transfers":
        for (const row of input.transfers) this.#move({ ...row, type: "transfer" });
        return;
      default:
    }
  }

  /** Lists repeat what events have told. */
  #move({ timeMs, type, tokenId, amount, txHash }: Movement): void {
    const { movements } = this.at(dayOf(timeMs));
    movements.set(`${txHash} ${tokenId} ${type}`, { timeMs, type, tokenId, amount, txHash });
  }
}

function partIn(parts: Map<string, PartDay>, strategy: string, marketId: MarketId): PartDay {
  const { base, quote } = tokensOf(marketId);
  const market = { marketId, baseToken: base, quoteToken: quote };
  return getOrMake(parts, `${strategy} ${marketId}`, () => newPart(strategy, new Position(market)));
}

function newPart(strategy: string, before: Position): PartDay {
  const copy = (): Position => {
    const position = new Position(before.market);
    position.restore(before.saved());
    return position;
  };
  return {
    strategy,
    opening: copy(),
    closing: copy(),
    fills: 0,
    byHand: 0,
    volumeBase: ZERO,
    volumeQuote: ZERO,
    corrected: ZERO,
    upMs: { BUY: 0, SELL: 0, obligation: 0 },
  };
}
