import type { FlatLevels } from "../domain/depth.ts";
import { type UnixMs, unixMs } from "../domain/time.ts";
import type { MarketEvent } from "./market-event.ts";
import type { RecordedEvent, TextLevel } from "./recorded-event.ts";

/** A row that much later than the one before it in its stream does not belong there. */
const JUMP_MS = 3_600_000;

const plainDecimal = /^\d+(\.\d+)?$/;

/** Defects found and what became of them. */
export interface Defects {
  /** Prices that are not positive decimals, or quantities that are no decimals: the level (or trade) is left out. */
  readonly badPrices: number;
  /** Exchange times that are no times: the time of receipt stands in. */
  readonly badTimes: number;
  /** Rows more than an hour after the previous one of their stream, by either clock: left out. */
  readonly timeJumps: number;
}

/**
 * Turns one market's recorded text into numbers and leaves out what cannot be true. A price or quantity of up to 15 digits
 * keeps its exact value: the shortest text of the double is the recorded text.
 */
export class MarketReader {
  readonly #defects = { badPrices: 0, badTimes: 0, timeJumps: 0 };
  /** Per stream, of the previous row, kept or not. */
  readonly #lastAtMs = new Map<RecordedEvent["type"], number>();
  readonly #lastTimeMs = new Map<RecordedEvent["type"], number>();

  get defects(): Defects {
    return this.#defects;
  }

  /** The event in numbers; undefined when it is left out. */
  take(recorded: RecordedEvent): MarketEvent | undefined {
    const { marketId, type } = recorded;
    const atMs = unixMs(recorded.atUs / 1000);
    const isGoodTime = Number.isFinite(recorded.timeMs) && recorded.timeMs > 0;
    if (!isGoodTime) this.#defects.badTimes += 1;
    const timeMs = isGoodTime ? recorded.timeMs : unixMs(Math.floor(atMs));
    if (this.#jumps(type, atMs, isGoodTime ? timeMs : undefined)) {
      this.#defects.timeJumps += 1;
      return undefined;
    }
    if (recorded.type === "trade") return this.#trade(recorded, atMs, timeMs);
    const bids = this.#flat(recorded.bids);
    const asks = this.#flat(recorded.asks);
    if (recorded.type === "book") {
      return {
        type: "book",
        atMs,
        snapshot: { marketId, lastId: recorded.lastId, timeMs, bids, asks },
      };
    }
    const { firstId, finalId } = recorded;
    return { type: "depth", atMs, event: { marketId, firstId, finalId, timeMs, bids, asks } };
  }

  #trade(
    recorded: Extract<RecordedEvent, { type: "trade" }>,
    atMs: UnixMs,
    timeMs: UnixMs,
  ): MarketEvent | undefined {
    const { marketId, tradeId, isBuyerMaker } = recorded;
    const price = recordedNumber(recorded.price);
    const quantity = recordedNumber(recorded.quantity);
    if (!(price > 0) || !(quantity > 0)) {
      this.#defects.badPrices += 1;
      return undefined;
    }
    const trade = { marketId, tradeId, price, quantity, timeMs, isBuyerMaker };
    return { type: "trade", atMs, trade };
  }

  #jumps(type: RecordedEvent["type"], atMs: number, timeMs: number | undefined): boolean {
    const lastAtMs = this.#lastAtMs.get(type) ?? atMs;
    this.#lastAtMs.set(type, atMs);
    if (timeMs === undefined) return atMs - lastAtMs > JUMP_MS;
    const lastTimeMs = this.#lastTimeMs.get(type) ?? timeMs;
    this.#lastTimeMs.set(type, timeMs);
    return atMs - lastAtMs > JUMP_MS || timeMs - lastTimeMs > JUMP_MS;
  }

  #flat(levels: readonly TextLevel[]): FlatLevels {
    const flat = new Float64Array(levels.length * 2);
    let count = 0;
    for (const [priceText, quantityText] of levels) {
      const price = recordedNumber(priceText);
      const quantity = recordedNumber(quantityText);
      if (!(price > 0) || Number.isNaN(quantity)) {
        this.#defects.badPrices += 1;
        continue;
      }
      flat[count] = price;
      flat[count + 1] = quantity;
      count += 2;
    }
    return count === flat.length ? flat : flat.slice(0, count);
  }
}

/** NaN when the text is no plain non-negative decimal. */
export function recordedNumber(text: string): number {
  return plainDecimal.test(text) ? Number(text) : Number.NaN;
}
