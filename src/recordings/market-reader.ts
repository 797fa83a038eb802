import type { FlatLevels } from "../domain/depth.ts";
import { type UnixMs, unixMs } from "../domain/time.ts";
import type { ReportDefect } from "./defect.ts";
import type { MarketEvent } from "./market-event.ts";
import type {
  RecordedBook,
  RecordedDepth,
  RecordedEvent,
  RecordedStreamEvent,
  RecordedTrade,
} from "./recorded-event.ts";

const plainDecimal = /^\d+(\.\d+)?$/;

/**
 * Converts one market's recorded text into numbers and leaves out impossible values. A price or quantity of up to 15 digits
 * keeps its exact value: the shortest text of the double is the recorded text.
 */
export class MarketReader {
  readonly #report: ReportDefect;

  constructor(report: ReportDefect = () => undefined) {
    this.#report = report;
  }

  /** The event as numbers; undefined when it is left out. */
  take(recorded: RecordedStreamEvent): MarketEvent | undefined {
    const { marketId, type } = recorded;
    const atMs = unixMs(recorded.atUs / 1000);
    if (recorded.type === "mark" || isOffBook(recorded)) return undefined;
    const isGoodTime = hasTime(recorded);
    if (!isGoodTime) {
      this.#report({ what: "badTimes", detail: `${type} without a time`, event: recorded });
    }
    const badRows = recorded.type === "depth" ? (recorded.badTimes ?? 0) : 0;
    for (let row = 0; row < badRows; row += 1) {
      const detail = "depth row with a time of its own";
      this.#report({ what: "badTimes", detail, event: recorded });
    }
    const timeMs = isGoodTime ? recorded.timeMs : unixMs(Math.floor(atMs));
    if (recorded.type === "trade") return this.#trade(recorded, atMs, timeMs);
    const bids = this.#flat(recorded, "bids");
    const asks = this.#flat(recorded, "asks");
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

  #trade(recorded: RecordedTrade, atMs: UnixMs, timeMs: UnixMs): MarketEvent | undefined {
    const { marketId, tradeId, isBuyerMaker } = recorded;
    const price = recordedNumber(recorded.price);
    const quantity = recordedNumber(recorded.quantity);
    if (!(price > 0) || !(quantity > 0)) {
      const detail = `trade ${tradeId} at ${recorded.price} × ${recorded.quantity}`;
      this.#report({ what: "badPrices", detail, event: recorded });
      return undefined;
    }
    const trade = { marketId, tradeId, price, quantity, timeMs, isBuyerMaker };
    return { type: "trade", atMs, trade };
  }

  #flat(recorded: RecordedDepth | RecordedBook, side: "bids" | "asks"): FlatLevels {
    const levels = recorded[side];
    const flat = new Float64Array(levels.length * 2);
    let count = 0;
    for (const [at, [priceText, quantityText]] of levels.entries()) {
      const price = recordedNumber(priceText);
      const quantity = recordedNumber(quantityText);
      if (!(price > 0) || Number.isNaN(quantity)) {
        const detail = `${side === "bids" ? "bid" : "ask"} ${priceText} × ${quantityText}`;
        const level = side === "bids" ? at : recorded.bids.length + at;
        this.#report({ what: "badPrices", detail, event: recorded, level });
        continue;
      }
      flat[count] = price;
      flat[count + 1] = quantity;
      count += 2;
    }
    return count === flat.length ? flat : flat.slice(0, count);
  }
}

/** Whether the event has a time of the exchange. */
export function hasTime({ timeMs }: RecordedEvent): boolean {
  return Number.isFinite(timeMs) && timeMs > 0;
}

/** Whether this is a trade of which only the id counts. */
export function isOffBook(recorded: RecordedEvent): boolean {
  return recorded.type === "trade" && recorded.isOffBook === true;
}

/** Parses a plain non-negative decimal; NaN for any other text. */
export function recordedNumber(text: string): number {
  return plainDecimal.test(text) ? Number(text) : Number.NaN;
}
