import type { MarketId } from "../domain/ids.ts";
import { addFixed, type Fixed, fixedText, parseFixed, subFixed, ZERO } from "../domain/fixed.ts";
import { gridRules } from "../domain/grid-rules.ts";
import { priceText } from "../domain/price.ts";
import { recordedNumber } from "./market-reader.ts";
import type {
  RecordedBook,
  RecordedDepth,
  RecordedEvent,
  RecordedTrade,
  TextLevel,
} from "./recorded-event.ts";
import type { BookSource } from "./synced-book.ts";
import { SyncedTexts } from "./synced-texts.ts";

/**
 * Folds one market onto the venue's price grid (§4.5): bids round down, asks round up, and quantities that fall on the same
 * price are summed exactly. A trade rounds toward its maker's side. The fold keeps the whole native book, because a change at
 * one native price changes a folded total. It emits the new totals, 0 when the last level of a folded price is gone.
 */
export class Fold {
  readonly #synced: SyncedTexts;
  readonly #bids = new FoldedSide(gridRules.roundDown);
  readonly #asks = new FoldedSide(gridRules.roundUp);

  constructor(marketId: MarketId, source: BookSource) {
    this.#synced = new SyncedTexts(marketId, source);
  }

  /** Returns the folded events that this event gives rise to. */
  take(recorded: RecordedEvent): readonly RecordedEvent[] {
    return this.#synced.take(recorded).map((event) => {
      if (event.type === "trade") return foldTrade(event);
      return event.type === "mark" || event.type === "candle" ? event : this.#apply(event);
    });
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
  const folded = trade.isBuyerMaker ? gridRules.roundDown(price) : gridRules.roundUp(price);
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

  /** Applies native levels and returns the new totals of the affected folded prices, in the order in which they were first hit. */
  apply(levels: readonly TextLevel[]): TextLevel[] {
    const touched = new Set<number>();
    for (const [text, quantityText] of levels) {
      const price = recordedNumber(text);
      const quantity = parseFixed(quantityText);
      // Same rule as in the market reader.
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
