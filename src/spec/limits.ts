/** Limits of the interface as data (§4.2, §4.4, §6.1, §8; D6, D11, D14). What needs the venue's clock is applied by the server. */

const DAY_MS = 86_400_000;

/** Time windows of the three order lists (§4.2, D14, D15): open orders, completed orders, user trades. */
export const listWindow = {
  /** Longest span between `from` and `to`. */
  maxSpanMs: 90 * DAY_MS,
  /** Span when both ends are 0 or absent. */
  defaultSpanMs: 30 * DAY_MS,
  /** How far back `from` may lie. */
  historyMs: 730 * DAY_MS,
  /** How far ahead of the venue's clock is not yet the future (D14). */
  futureSlackMs: 2000,
} as const;

/** `limit` of each list: answered when absent, and highest allowed. The lowest is 1. */
export const listLimits = {
  /** The interface does not show a maximum; D14 has 500, and our client asks for 100 at most (D15). */
  openOrders: { default: 100, max: 500 },
  orderHistory: { default: 100, max: 500 },
  userTrades: { default: 100, max: 500 },
  transfers: { default: 100, max: 500 },
  publicTrades: { default: 20, max: 1000 },
  /** Levels a side. */
  depth: { default: 1000, max: 5000 },
} as const;

/** Candles a request may span, intervals without a trade counted too (§8, D32). */
export const CANDLES_MAX = 1000;

export const transactionLimits = {
  /** What we sign with (§4.4). */
  gasLimit: 0x30000,
  /** What the venue takes at least (D5). */
  gasLimitMin: 21_000,
  /** A nonce at or above this is a time nonce, Unix milliseconds (D6). */
  timeNonceFrom: 1e12,
  /** How far a time nonce may be off the venue's clock, either way (D6). */
  timeNonceWindowMs: 60_000,
} as const;

/** Longest display name of a session wallet: ours, the interface names none. */
export const SESSION_NAME_MAX = 256;

/** Longest request body the venue reads (D11). */
export const BODY_BYTES_MAX = 65_536;

/** WebSocket (§6.1, §8). */
export const streamLimits = {
  pingIntervalMs: 30_000,
  /** From the unanswered ping (D36). */
  pongDeadlineMs: 60_000,
  lifetimeMs: DAY_MS,
  /** Levels a side, and the shortest time between two pushes, of `depthSnapshot@`. */
  snapshotLevels: 100,
  snapshotIntervalMs: 500,
} as const;

/** The same limits with other values: what a venue of ours may be told. */
export type StreamLimits = { readonly [Name in keyof typeof streamLimits]: number };
