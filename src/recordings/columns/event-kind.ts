/** What an event of a compiled recording is. A replay leaves out `hiddenTrade`; the synced events leave out `gap` and `emptyBook`. */
export const eventKind = {
  depth: 0,
  book: 1,
  trade: 2,
  /** From here until the next book, the book is not known. */
  gap: 3,
  /** A trade inside a gap. */
  hiddenTrade: 4,
  /** Ends a gap that no snapshot closes; nobody received it. */
  emptyBook: 5,
  candle: 6,
} as const;

export type EventKind = (typeof eventKind)[keyof typeof eventKind];

/** Bits of an event's first byte. */
export const KIND_MASK = 7;
/** All numbers of the event are doubles, because some do not fit the columns. */
export const RAW_BIT = 8;
export const BUYER_MAKER_BIT = 16;
/** The ids of the trade are text. */
export const TEXT_BIT = 32;
/** The trade has the ids of both orders, as numbers. */
export const ORDER_IDS_BIT = 64;

/** Directions of the prices of one side of an event, from the first level on. */
export const levelOrder = {
  mixed: 0,
  /** Each level is farther from the touch than the one before. */
  outward: 1,
  inward: 2,
} as const;
