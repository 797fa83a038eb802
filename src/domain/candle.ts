import type { UnixMs } from "./time.ts";

/** Resolution codes (§4.3) and seconds in an interval; a month has 30 days. Aligned to the epoch in UTC, weeks to Monday (D32). */
export const resolutionSec = {
  "1": 60,
  "5": 300,
  "15": 900,
  "30": 1800,
  "60": 3600,
  "120": 7200,
  "240": 14_400,
  "480": 28_800,
  "720": 43_200,
  "1D": 86_400,
  "3D": 259_200,
  "1W": 604_800,
  "1M": 2_592_000,
} as const;
export type Resolution = keyof typeof resolutionSec;

export const resolutions = Object.keys(resolutionSec) as readonly Resolution[];

/** 1970-01-05, the first Monday: weeks are aligned to it, all other intervals to the epoch (D32). */
const MONDAY_SEC = 4 * 86_400;

/** Start of the interval that contains this second. */
export function candleOpen(resolution: Resolution, timeSec: number): number {
  const step = resolutionSec[resolution];
  const start = resolution === "1W" ? MONDAY_SEC : 0;
  return Math.floor((timeSec - start) / step) * step + start;
}

/** The trades of one interval. */
export interface MarketCandle {
  /** Start of the interval, venue time. */
  readonly timeMs: UnixMs;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Base token. */
  readonly volume: number;
}
