import { getOrMake } from "../base/get-or-make.ts";
import { addFixed, mulFixed, negFixed, type Fixed, ZERO } from "../domain/fixed.ts";
import { type Address, type MarketId, tokensOf } from "../domain/ids.ts";
import { BY_HAND, transferOf } from "../domain/order.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Entry, MeasuredEntry, SegmentHead, StrategyFill } from "../journal/entry.ts";
import { OwnFills } from "../journal/own-fills.ts";
import { UptimeSum } from "../journal/uptime-sum.ts";
import type { CarriedItem, Input } from "../kernel/input.ts";
import { dayOf } from "../orders/day-start.ts";
import { Position } from "../orders/position.ts";

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
  readonly uptime: UptimeSum;
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
  /** How long a bot was measured. */
  ranMs: number;
}

/**
 * Adds up a journal by UTC days, over all its runs: positions from the booked trades, by the venue's time of each, so that a fill that
 * is booked after midnight counts on its day; uptime and mids as the bot measured them. Memory is bounded by the number of days.
 */
export class AccountFold {
  /** Oldest first. */
  readonly days: AccountDay[] = [];
  /** What the days begin with. */
  readonly #before = new Map<string, PartDay>();
  #owner: Address | undefined;
  #own = new OwnFills();
  #firstMs: number | undefined;
  #lastMs = 0;

  /** Begins with a run, or with the oldest part of it that is left. */
  begin({ header, restored }: Pick<SegmentHead, "header" | "restored">): void {
    if (this.#owner === undefined)
      for (const item of restored.carried) this.#carry(item, this.#before);
    this.#owner = header.kernel.owner;
    this.#own = new OwnFills();
    this.#own.restore(restored.orders);
  }

  /** Adds an entry; returns the trades that it booked. */
  apply(entry: Entry): readonly StrategyFill[] {
    const trades = this.#own.apply(entry);
    for (const trade of trades) this.#book(trade);
    if (entry.type === "batch") for (const input of entry.entry.batch.inputs) this.#input(input);
    if (entry.type === "measured") this.#measured(entry.measured);
    if (entry.type === "adjusted" && entry.adjusted.trade === undefined) {
      const { parts } = this.at(dayOf(entry.adjusted.nowMs));
      for (const item of entry.adjusted.items) this.#carry(item, parts);
    }
    return trades;
  }

  /** How much of a day was measured, pauses between runs included: all of it but before the first run and after the last. */
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

  #measured({ fromMs, untilMs, parts, mids }: MeasuredEntry): void {
    const day = this.at(dayOf(untilMs));
    day.ranMs += untilMs - fromMs;
    day.mids = new Map([...day.mids, ...mids]);
    this.#firstMs ??= fromMs;
    this.#lastMs = Math.max(this.#lastMs, untilMs);
    for (const { strategy, marketId, upMs } of parts) {
      partIn(day.parts, strategy, marketId).uptime.add(upMs);
    }
  }

  #input(input: Input): void {
    switch (input.type) {
      case "accountEvent": {
        const { eventType, amount, fromAddress, toAddress, ...event } = input.event;
        const owner = this.#owner;
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
    uptime: new UptimeSum(),
  };
}
