import type { MarketId, OrderId } from "./ids.ts";
import type { UnixMs } from "./time.ts";

/**
 * Levels as flat pairs `[price, quantity, price, quantity, …]`. Market data is numbers: a double names a legal price
 * exactly, and its shortest text gives back the recorded text of a quantity.
 */
export type FlatLevels = Float64Array;

/** One `depth@` event (§6.3): absolute quantities, 0 removes the level. */
export interface DepthEvent {
  readonly marketId: MarketId;
  readonly firstId: number;
  readonly finalId: number;
  readonly timeMs: UnixMs;
  readonly bids: FlatLevels;
  readonly asks: FlatLevels;
}

/** A whole book at `lastId`: from REST (§2.11) or, limited to 100 levels a side, from `depthSnapshot@` (§6.3). */
export interface BookSnapshot {
  readonly marketId: MarketId;
  readonly lastId: number;
  readonly timeMs: UnixMs;
  /** Best first. */
  readonly bids: FlatLevels;
  readonly asks: FlatLevels;
}

/** Undefined when a side is empty. */
export function midOf({ bids, asks }: BookSnapshot): number | undefined {
  const [[bid], [ask]] = [bids, asks];
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
}

/** A public trade (§2.10). */
export interface Trade {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly price: number;
  readonly quantity: number;
  readonly timeMs: UnixMs;
  /** The seller was the taker. */
  readonly isBuyerMaker: boolean;
  /** Ids of the two orders, where the source names them. */
  readonly buyOrderId?: OrderId;
  readonly sellOrderId?: OrderId;
}
