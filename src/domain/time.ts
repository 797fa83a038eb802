import type { Brand } from "../base/brand.ts";

/** Milliseconds since the Unix epoch: most times of the venue (§1.3). */
export type UnixMs = Brand<number, "UnixMs">;
/** Seconds since the Unix epoch (§1.3: session expiry, candles). */
export type UnixSec = Brand<number, "UnixSec">;

/** An hour, milliseconds. */
export const HOUR_MS = 3_600_000;
/** A day of 24 hours, milliseconds. */
export const DAY_MS = 86_400_000;

export function unixMs(value: number): UnixMs {
  return value as UnixMs;
}

export function unixSec(value: number): UnixSec {
  return value as UnixSec;
}

/** The whole second that contains this millisecond. */
export function toUnixSec(timeMs: UnixMs): UnixSec {
  return unixSec(Math.floor(timeMs / 1000));
}
