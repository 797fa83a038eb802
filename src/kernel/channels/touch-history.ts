/** What a book is compared with: its own past, and public trades. */
export interface TouchHistory {
  /** Since when the best bid is at or above the best ask; undefined while it is not. */
  crossedSinceMs: number | undefined;
  /** The newest mid that was kept, and the one before it; kept every few seconds (doubt-book.ts). */
  mid: KeptPrice | undefined;
  midBefore: KeptPrice | undefined;
  trade: KeptPrice | undefined;
  /** The touch is farther from one of these than the price collar. */
  hasJumped: boolean;
}

interface KeptPrice {
  readonly price: number;
  readonly atMs: number;
}

export function newTouchHistory(): TouchHistory {
  return {
    crossedSinceMs: undefined,
    mid: undefined,
    midBefore: undefined,
    trade: undefined,
    hasJumped: false,
  };
}
