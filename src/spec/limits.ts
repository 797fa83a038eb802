import { DAY_MS } from "../domain/time.ts";
import { TIME_NONCE_FROM } from "../domain/time-nonce.ts";

/** Limits of the interface (§4.2, §4.4, §6.1, §8; D6, D11, D14). The server enforces those that depend on its clock. */

/** Time windows of the three order lists (§4.2, D14, D15): open orders, completed orders, user trades. */
export const listWindow = {
  /** Longest span between `from` and `to`. */
  maxSpanMs: 90 * DAY_MS,
  /** Span when both ends are 0 or absent. */
  defaultSpanMs: 30 * DAY_MS,
  /** How far back `from` may lie. */
  historyMs: 730 * DAY_MS,
  /** How far ahead of the venue's clock a time may lie (D14). */
  futureSlackMs: 2000,
} as const;

/** `limit` of each list: default and maximum. The minimum is 1. */
export const listLimits = {
  /** The interface shows no maximum; 500 is assumed (D14), and our client requests at most 100 (D15). */
  openOrders: { default: 100, max: 500 },
  orderHistory: { default: 100, max: 500 },
  userTrades: { default: 100, max: 500 },
  transfers: { default: 100, max: 500 },
  publicTrades: { default: 20, max: 1000 },
  /** Levels on each side. */
  depth: { default: 1000, max: 5000 },
} as const;

/** Number of intervals that a request for candles may span, including those without trades (§8, D32). */
export const CANDLES_MAX = 1000;

export const transactionLimits = {
  /** Gas limit that we sign with (§4.4). */
  gasLimit: 0x30000,
  /** Lowest gas limit that the venue accepts (D5). */
  gasLimitMin: 21_000,
  /** A nonce of at least this value is a time nonce, in Unix ms (D6). */
  timeNonceFrom: TIME_NONCE_FROM,
  /** How far a time nonce may differ from the venue's clock in either direction (D6). */
  timeNonceWindowMs: 60_000,
} as const;

/** Longest display name of a session wallet; assumed, since the interface states none. */
export const SESSION_NAME_MAX = 256;

/** Longest decimal text in a response: a price times a quantity (D12) has fewer digits. */
export const DECIMAL_TEXT_MAX = 64;
/** Longest market, token or trade id in a response; the interface gives no limit. */
export const ID_TEXT_MAX = 256;
/** The latest time in a response: the year 5138. `Date` cannot show times that are a hundred times as late. */
export const TIME_MS_MAX = 1e14;

/** The longest message of a stream that a client reads. A longer one closes the connection (RFC 6455, code 1009). */
export const FRAME_BYTES_MAX = 2 * 1024 * 1024;
/** Levels on each side of a depth event that a client reads. The interface gives no limit for events; this is that of a whole book (§4.3). */
export const FRAME_LEVELS_MAX = listLimits.depth.max;
/** The same for a `depthSnapshot@` message, which has 100 (§6.3). */
export const SNAPSHOT_LEVELS_MAX = 1_000;
/** Channels of one request; assumed, since the interface gives no limit. */
export const REQUEST_CHANNELS_MAX = 1_024;

/** Longest request body that the venue reads (D11). */
export const BODY_BYTES_MAX = 65_536;

/** Limits of the WebSocket (§6.1, §8). */
export const streamLimits = {
  pingIntervalMs: 30_000,
  /** Counted from the unanswered ping (D36). */
  pongDeadlineMs: 60_000,
  lifetimeMs: DAY_MS,
  /** Levels on each side, and shortest time between two messages, of `depthSnapshot@`. */
  snapshotLevels: 100,
  snapshotIntervalMs: 500,
} as const;

/** The same limits with configurable values, for the paper venue. */
export type StreamLimits = { readonly [Name in keyof typeof streamLimits]: number };
