import type { Brand } from "../base/brand.ts";

/** Milliseconds since the Unix epoch (§1.3: all the venue's times but the few in seconds). */
export type UnixMs = Brand<number, "UnixMs">;
/** Seconds since the Unix epoch (§1.3: session expiry, candles). */
export type UnixSec = Brand<number, "UnixSec">;

export function unixMs(value: number): UnixMs {
  return value as UnixMs;
}

export function unixSec(value: number): UnixSec {
  return value as UnixSec;
}

/** The whole second that holds this millisecond. */
export function toUnixSec(timeMs: UnixMs): UnixSec {
  return unixSec(Math.floor(timeMs / 1000));
}
