import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";

/** `[price, quantity]`, decimal text exactly as received. */
export type TextLevel = readonly [price: string, quantity: string];

interface Recorded {
  /** When the recorder received it, microseconds since the epoch. */
  readonly atUs: number;
  readonly marketId: MarketId;
  /** The exchange's own time. */
  readonly timeMs: UnixMs;
}

/** One depth event (§6.3): absolute quantities, 0 removes. */
export interface RecordedDepth extends Recorded {
  readonly type: "depth";
  readonly firstId: number;
  readonly finalId: number;
  /** Rows of the source whose time contradicted the others and was left out; absent is 0. */
  readonly badTimes?: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** A whole book as the exchange answered it (§2.11). */
export interface RecordedBook extends Recorded {
  readonly type: "book";
  readonly lastId: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** A public trade (§2.10). */
export interface RecordedTrade extends Recorded {
  readonly type: "trade";
  readonly tradeId: string;
  readonly price: string;
  readonly quantity: string;
  readonly isBuyerMaker: boolean;
  /** Only where the source has them. */
  readonly buyOrderId?: string;
  readonly sellOrderId?: string;
}

/** What the recorder says about itself; its own clock. */
export interface RecordedMark extends Recorded {
  readonly type: "mark";
  /**
   * `opened`: the stream is confirmed, a book follows; `closed`: the stream is lost; `gap`: ids were missing, a book follows;
   * `alive`: the recorder is there, however quiet the market.
   */
  readonly state: MarkState;
  /** For people; empty where there is nothing to say. */
  readonly reason: string;
}

export const markStates = ["opened", "closed", "gap", "alive"] as const;
export type MarkState = (typeof markStates)[number];

/** What the exchange sent. */
export type MarketDataEvent = RecordedDepth | RecordedBook | RecordedTrade;

/** What a recording holds, as text, with both times. */
export type RecordedEvent = MarketDataEvent | RecordedMark;
