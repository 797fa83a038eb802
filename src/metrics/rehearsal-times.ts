/** What the rehearsals of the order path took. */
export interface RehearsalTimes {
  /** Rehearsals, each of one piece of the path. */
  readonly count: number;
  /** Wall time of one rehearsal, microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** Wall time of all rehearsals. */
  readonly spentMs: number;
  /** Of one processor, 0 to 1. */
  readonly share: number;
}
