/** Periods and patience of the stream's connections, milliseconds. */
export interface StreamTiming {
  /** Between the answer to a ping and the next ping. */
  readonly pingMs: number;
  /** A ping unanswered for this long is a dead socket. */
  readonly pongMs: number;
  /** Silence of data for this long is reported as `stalled`. */
  readonly stallMs: number;
  /** Connecting and the confirmation of the channels take no longer. */
  readonly openMs: number;
  /** Wait before connecting again: doubles from the first to the second, less up to half by chance. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** Age at which a connection is replaced by a new one, less up to a twentieth by chance; the venue ends them at 24 h (§6.1). */
  readonly lifetimeMs: number;
  /** The old and the new connection overlap no longer than this once the new one is confirmed, if both are well. */
  readonly overlapMs: number;
}

export const defaultStreamTiming: StreamTiming = {
  pingMs: 5_000,
  pongMs: 5_000,
  stallMs: 20_000,
  openMs: 10_000,
  backoffMs: 250,
  backoffMaxMs: 10_000,
  lifetimeMs: 84_600_000,
  overlapMs: 15_000,
};
