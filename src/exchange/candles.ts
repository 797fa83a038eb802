import { Ring } from "../base/ring.ts";
import { addFixed, type Fixed } from "../domain/fixed.ts";
import type { UnixMs } from "../domain/time.ts";
import { flat, type SnapshotPart, partLater, partNow, type SavedRows, unflat } from "./snapshot.ts";
import { candleOpen, resolutionSec, resolutions, type Resolution } from "../domain/candle.ts";

/** One interval with at least one trade (§2.12, D32). */
export interface CandleRecord {
  /** Start of the interval, Unix seconds. */
  readonly openSec: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: Fixed;
  readonly quoteVolume: Fixed;
  readonly tradeCount: number;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** How many intervals start in [`fromSec`, `toSec`], with or without trades; the limit of 1000 counts all of them (D32). */
export function countOpens(resolution: Resolution, fromSec: number, toSec: number): number {
  if (toSec < fromSec) return 0;
  const step = resolutionSec[resolution];
  const first = candleOpen(resolution, fromSec - 1) + step;
  return first > toSec ? 0 : Math.floor((toSec - first) / step) + 1;
}

/**
 * The newest candles of one market in all 13 resolutions. A trade updates the open minute only. A minute is merged into the
 * longer intervals when the next minute begins, and temporarily whenever candles are queried.
 */
export class Candles {
  readonly #minutes: Ring<CandleRecord>;
  readonly #longer = new Map<Resolution, Ring<CandleRecord>>();
  #open: Mutable<CandleRecord> | undefined;

  /** `keep`: how many candles of each resolution are kept. */
  constructor(keep: number) {
    this.#minutes = new Ring(keep);
    for (const resolution of resolutions) {
      if (resolution !== "1") this.#longer.set(resolution, new Ring(keep));
    }
  }

  trade(price: number, quantity: Fixed, quote: Fixed, timeMs: UnixMs): void {
    const openSec = Math.floor(timeMs / 60_000) * 60;
    const open = this.#open;
    if (open !== undefined && openSec <= open.openSec) {
      if (price > open.high) open.high = price;
      if (price < open.low) open.low = price;
      open.close = price;
      open.volume = addFixed(open.volume, quantity);
      open.quoteVolume = addFixed(open.quoteVolume, quote);
      open.tradeCount += 1;
      return;
    }
    if (open !== undefined) this.#close(open);
    this.#open = {
      openSec,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: quantity,
      quoteVolume: quote,
      tradeCount: 1,
    };
  }

  /** Candles that start in [`fromSec`, `toSec`], oldest first. */
  between(resolution: Resolution, fromSec: number, toSec: number): CandleRecord[] {
    const found: CandleRecord[] = [];
    for (const candle of this.newestFirst(resolution)) {
      if (candle.openSec < fromSec) break;
      if (candle.openSec <= toSec) found.push(candle);
    }
    return found.reverse();
  }

  *newestFirst(resolution: Resolution): Generator<CandleRecord> {
    const kept = resolution === "1" ? this.#minutes : this.#longer.get(resolution);
    if (kept === undefined) return;
    let age = 0;
    if (this.#open !== undefined) {
      const openSec = candleOpen(resolution, this.#open.openSec);
      const last = kept.newest();
      if (last !== undefined && last.openSec === openSec) {
        yield merged(last, this.#open);
        age = 1;
      } else {
        yield { ...this.#open, openSec };
      }
    }
    for (; age < kept.size; age += 1) {
      const candle = kept.newest(age);
      if (candle !== undefined) yield candle;
    }
  }

  /** Parts whose names start with `name`. */
  save(name: string): SnapshotPart[] {
    const open = this.#open === undefined ? [] : [flat(this.#open)];
    const rings = [["1", this.#minutes] as const, ...this.#longer];
    return [
      partNow(`${name}/open`, open),
      ...rings.map(([resolution, kept]) =>
        partLater(`${name}/${resolution}`, kept.oldestFirst(), flat),
      ),
    ];
  }

  restore(name: string, saved: SavedRows): void {
    for (const row of saved(`${name}/open`)) this.#open = unflat<Mutable<CandleRecord>>(row);
    for (const [resolution, kept] of [["1", this.#minutes] as const, ...this.#longer]) {
      for (const row of saved(`${name}/${resolution}`)) kept.push(unflat<CandleRecord>(row));
    }
  }

  #close(minute: CandleRecord): void {
    this.#minutes.push(minute);
    for (const [resolution, kept] of this.#longer) {
      const openSec = candleOpen(resolution, minute.openSec);
      const last = kept.newest();
      if (last !== undefined && last.openSec === openSec) kept.replaceNewest(merged(last, minute));
      else kept.push({ ...minute, openSec });
    }
  }
}

/** Merges a later candle of the same interval into `first`. */
function merged(first: CandleRecord, later: CandleRecord): CandleRecord {
  return {
    openSec: first.openSec,
    open: first.open,
    high: Math.max(first.high, later.high),
    low: Math.min(first.low, later.low),
    close: later.close,
    volume: addFixed(first.volume, later.volume),
    quoteVolume: addFixed(first.quoteVolume, later.quoteVolume),
    tradeCount: first.tradeCount + later.tradeCount,
  };
}
