/** Intervals and time-outs of stream connections, milliseconds. */
export interface StreamTiming {
  /** From a pong to the next ping. */
  readonly pingMs: number;
  /** A socket that sends no pong for this long is dead. */
  readonly pongMs: number;
  /** After this long without data the stream is reported as `stalled`. */
  readonly stallMs: number;
  /** Limit for connecting until all channels are confirmed. */
  readonly openMs: number;
  /** Between the starts of two attempts: doubles from `backoffMs` to `backoffMaxMs`, each shortened by up to half at random. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** Age at which a connection is replaced, shortened by up to 5% at random. The venue ends connections at 24 h (§6.1). */
  readonly lifetimeMs: number;
  /** Limit for the overlap of two connections once the new one is confirmed. Only a missing pong of the old one extends it. */
  readonly overlapMs: number;
}

export const defaultStreamTiming: StreamTiming = {
  pingMs: 5_000,
  pongMs: 5_000,
  stallMs: 20_000,
  openMs: 3_000,
  backoffMs: 250,
  backoffMaxMs: 2_000,
  lifetimeMs: 84_600_000,
  overlapMs: 15_000,
};
