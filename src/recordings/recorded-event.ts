import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";

/** `[price, quantity]`, decimal text exactly as received. */
export type TextLevel = readonly [price: string, quantity: string];

interface RecordedBase {
  /** Time of receipt at the recorder, in µs since the epoch. */
  readonly atUs: number;
  readonly marketId: MarketId;
  /** Exchange time. */
  readonly timeMs: UnixMs;
}

/** A depth event (§6.3) with absolute quantities; 0 removes the level. */
export interface RecordedDepth extends RecordedBase {
  readonly type: "depth";
  readonly firstId: number;
  readonly finalId: number;
  /** Number of source rows whose time contradicted the others and was ignored; absent means 0. */
  readonly badTimes?: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** A book snapshot as the exchange returned it (§2.11). */
export interface RecordedBook extends RecordedBase {
  readonly type: "book";
  readonly lastId: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** A public trade (§2.10). */
export interface RecordedTrade extends RecordedBase {
  readonly type: "trade";
  readonly tradeId: string;
  readonly price: string;
  readonly quantity: string;
  readonly isBuyerMaker: boolean;
  /** It did not come from the order book, such as one of an insurance fund, or the import left it out. Nothing but its id counts. */
  readonly isOffBook?: true;
  /** Present only if the source has them. */
  readonly buyOrderId?: string;
  readonly sellOrderId?: string;
}

/** A candle of trades; `timeMs` is its beginning, `atUs` its end. */
export interface RecordedCandle extends RecordedBase {
  readonly type: "candle";
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base token. */
  readonly volume: string;
}

/** A note of the recorder about itself; both times are the recorder's. */
export interface RecordedMark extends RecordedBase {
  readonly type: "mark";
  /**
   * `opened`: the stream is subscribed, a book follows; `closed`: the stream was lost; `gap`: ids were missing, a book follows;
   * `alive`: the recorder is running although the market is quiet.
   */
  readonly state: MarkState;
  /** For people; may be empty. */
  readonly reason: string;
}

export const markStates = ["opened", "closed", "gap", "alive"] as const;
export type MarkState = (typeof markStates)[number];

/** An event that the exchange sent. */
export type MarketDataEvent = RecordedDepth | RecordedBook | RecordedTrade | RecordedCandle;

/** An event of a recording, as text, with times of exchange and receipt. */
export type RecordedEvent = MarketDataEvent | RecordedMark;

/** An event of a recording that has books and trades. */
export type RecordedStreamEvent = Exclude<RecordedEvent, RecordedCandle>;
