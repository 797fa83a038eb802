import type { MarketId } from "../domain/ids.ts";
import { addFixed, type Fixed, fixedText, parseFixed, subFixed, ZERO } from "../domain/fixed.ts";
import { priceText, roundPriceDown, roundPriceUp } from "../domain/price.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader, recordedNumber } from "./market-reader.ts";
import type {
  RecordedBook,
  RecordedDepth,
  RecordedEvent,
  RecordedTrade,
  TextLevel,
} from "./recorded-event.ts";
import { SyncedBook } from "./synced-book.ts";

/**
 * Folds one market on the venue's price grid (§4.5): bids down, asks up, quantities that fall on one price summed exactly;
 * trades toward their maker's side (FIELD-MAPPING "Price grid" 2). A change at one native price changes a folded total, so
 * the whole native book is held; what goes out are the new totals, 0 when the last level of a fold goes. Events that came
 * before their snapshot go out right after it, those that it already holds not at all.
 */
export class Fold {
  readonly #synced: SyncedBook;
  readonly #reader = new MarketReader();
  readonly #bids = new FoldedSide(roundPriceDown);
  readonly #asks = new FoldedSide(roundPriceUp);
  /** Recorded text of the steps that the synced book may hold and give back later. */
  readonly #texts = new WeakMap<MarketEvent, RecordedDepth | RecordedBook>();

  constructor(marketId: MarketId, snapshotIds: readonly number[]) {
    this.#synced = new SyncedBook(marketId, snapshotIds);
  }

  /** What goes out because of this event. */
  take(recorded: RecordedEvent): readonly RecordedEvent[] {
    if (recorded.type === "trade") return [foldTrade(recorded)];
    if (recorded.type === "mark") {
      this.#reader.take(recorded);
      if (recorded.state === "closed") this.#synced.interrupted();
      return [recorded];
    }
    const event = this.#reader.take(recorded);
    if (event === undefined) return [];
    const folded: RecordedEvent[] = [];
    this.#texts.set(event, recorded);
    this.#synced.take(event, (step) => {
      const text = this.#texts.get(step);
      if (text !== undefined) folded.push({ ...this.#apply(text), atUs: recorded.atUs });
    });
    return folded;
  }

  #apply(recorded: RecordedDepth | RecordedBook): RecordedEvent {
    if (recorded.type === "book") {
      this.#bids.clear();
      this.#asks.clear();
    }
    return {
      ...recorded,
      bids: this.#bids.apply(recorded.bids),
      asks: this.#asks.apply(recorded.asks),
    };
  }
}

function foldTrade(trade: RecordedTrade): RecordedTrade {
  const price = recordedNumber(trade.price);
  if (!(price > 0)) return trade;
  const folded = trade.isBuyerMaker ? roundPriceDown(price) : roundPriceUp(price);
  return folded > 0 ? { ...trade, price: priceText(folded) } : trade;
}

class FoldedSide {
  readonly #round: (price: number) => number;
  readonly #native = new Map<number, Fixed>();
  readonly #totals = new Map<number, Fixed>();

  constructor(round: (price: number) => number) {
    this.#round = round;
  }

  clear(): void {
    this.#native.clear();
    this.#totals.clear();
  }

  /** Applies native levels; the new totals of the folded prices that they touch, in the order of the first touch. */
  apply(levels: readonly TextLevel[]): TextLevel[] {
    const touched = new Set<number>();
    for (const [text, quantityText] of levels) {
      const price = recordedNumber(text);
      const quantity = parseFixed(quantityText);
      // What the reader leaves out is left out here, too.
      if (!(price > 0) || quantity === undefined || quantity < 0n) continue;
      const folded = this.#round(price);
      if (folded === 0) continue;
      const before = this.#native.get(price) ?? ZERO;
      if (quantity === ZERO) this.#native.delete(price);
      else this.#native.set(price, quantity);
      const change = subFixed(quantity, before);
      this.#totals.set(folded, addFixed(this.#totals.get(folded) ?? ZERO, change));
      touched.add(folded);
    }
    return [...touched].map((folded) => {
      const total = this.#totals.get(folded) ?? ZERO;
      if (total === ZERO) this.#totals.delete(folded);
      return [priceText(folded), fixedText(total)];
    });
  }
}
