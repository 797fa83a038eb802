import type { FlatLevels } from "../../domain/depth.ts";
import type { CandleEvent } from "../candle.ts";
import type { GapStep } from "../recorded-gaps.ts";
import { eventKind, type EventKind } from "./event-kind.ts";

/** Ids of the two orders of a trade, as the source has them. */
export interface OrderIds {
  readonly buy: string | undefined;
  readonly sell: string | undefined;
}

/** The levels of one side of an event, or the price and quantity of a trade. */
export interface LevelGroup {
  readonly side: LevelSide;
  readonly levels: FlatLevels;
}

export type LevelSide = 0 | 1 | 2;
export const levelSide = { bids: 0, asks: 1, trade: 2 } as const;

/** An event in the order of the columns. */
export interface ColumnEvent {
  readonly kind: EventKind;
  readonly atMs: number;
  readonly timeMs: number;
  /** 0 where the event has no such id. */
  readonly firstId: number;
  readonly finalId: number;
  readonly isBuyerMaker: boolean;
  readonly tradeId: string | undefined;
  readonly orderIds: OrderIds | undefined;
  readonly groups: readonly LevelGroup[];
}

const noIds = { firstId: 0, finalId: 0 };
const noTrade = { isBuyerMaker: false, tradeId: undefined, orderIds: undefined };

/** What a column file keeps of a recording. */
export type ColumnStep = GapStep | { readonly event: CandleEvent; readonly only?: undefined };

export function columnEvent(
  { event, only }: ColumnStep,
  orderIds: OrderIds | undefined,
): ColumnEvent {
  const { atMs } = event;
  switch (event.type) {
    case "gap":
      return { kind: eventKind.gap, atMs, timeMs: 0, ...noIds, ...noTrade, groups: [] };
    case "candle": {
      const { openMs, open, high, low, close, volume } = event.candle;
      const prices = Float64Array.of(open, volume, high, 0, low, 0, close, 0);
      const groups = sides(prices, new Float64Array());
      return { kind: eventKind.candle, atMs, timeMs: openMs, ...noIds, ...noTrade, groups };
    }
    case "trade": {
      const { timeMs, price, quantity, isBuyerMaker, tradeId } = event.trade;
      const kind = only === "synced" ? eventKind.hiddenTrade : eventKind.trade;
      const groups = [{ side: levelSide.trade, levels: Float64Array.of(price, quantity) }];
      return { kind, atMs, timeMs, ...noIds, isBuyerMaker, tradeId, orderIds, groups };
    }
    case "book": {
      const { timeMs, lastId, bids, asks } = event.snapshot;
      const kind = only === "replay" ? eventKind.emptyBook : eventKind.book;
      const ids = { firstId: lastId, finalId: lastId };
      return { kind, atMs, timeMs, ...ids, ...noTrade, groups: sides(bids, asks) };
    }
    case "depth": {
      const { timeMs, firstId, finalId, bids, asks } = event.event;
      const ids = { firstId, finalId };
      const groups = sides(bids, asks);
      return { kind: eventKind.depth, atMs, timeMs, ...ids, ...noTrade, groups };
    }
  }
}

function sides(bids: FlatLevels, asks: FlatLevels): readonly LevelGroup[] {
  return [
    { side: levelSide.bids, levels: bids },
    { side: levelSide.asks, levels: asks },
  ];
}
