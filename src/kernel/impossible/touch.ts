const NEVER = Number.POSITIVE_INFINITY;

/** What a book's touch is compared with, and whether it can be. */
export interface Touch {
  /** Farthest share of the last trade, or of an earlier mid, that a mid may be away. */
  readonly collar: number;
  /** A mid of some seconds ago. */
  mid: number;
  midMs: number;
  /** The newest public trade that was not itself far from the book. */
  trade: number;
  tradeMs: number;
  /** Trades went on far from the book since it jumped, so that it is the book that is wrong. */
  hasFarTrade: boolean;
  /** The book cannot be, so nothing new is sent by it. */
  isImpossible: boolean;
  /** When the market is left for that; Infinity while it is not. */
  leavesMs: number;
}

export function newTouch(collar: number): Touch {
  const never = Number.NEGATIVE_INFINITY;
  return {
    collar,
    mid: 0,
    midMs: never,
    trade: 0,
    tradeMs: never,
    hasFarTrade: false,
    isImpossible: false,
    leavesMs: NEVER,
  };
}
