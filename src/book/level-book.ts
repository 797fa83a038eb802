import type { BookSnapshot, DepthEvent, FlatLevels } from "../domain/depth.ts";
import type { Side } from "../domain/side.ts";
import { BookSide } from "./book-side.ts";

/** Levels of one market: bids from the highest down, asks from the lowest up. It knows no update ids. */
export class LevelBook {
  readonly bids = new BookSide("bids");
  readonly asks = new BookSide("asks");

  /** The side on which orders of this side rest. */
  side(side: Side): BookSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  apply(event: Pick<DepthEvent, "bids" | "asks">): void {
    this.bids.apply(event.bids);
    this.asks.apply(event.asks);
  }

  /** Replaces all levels by the snapshot's. */
  load(snapshot: Pick<BookSnapshot, "bids" | "asks">): void {
    this.bids.load(snapshot.bids);
    this.asks.load(snapshot.asks);
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }

  /** All levels, best first. */
  levels(): { readonly bids: FlatLevels; readonly asks: FlatLevels } {
    return { bids: this.bids.top(this.bids.size), asks: this.asks.top(this.asks.size) };
  }
}

/** The reading half of a side. */
export type ReadableSide = Omit<
  BookSide,
  "apply" | "swap" | "swapAll" | "settle" | "load" | "clear" | "keyOfSlot"
>;

/** A book that only its sync machine may change. */
export interface ReadableBook {
  readonly bids: ReadableSide;
  readonly asks: ReadableSide;
  side(side: Side): ReadableSide;
  levels(): { readonly bids: FlatLevels; readonly asks: FlatLevels };
}
