/** A market that moves by itself. It runs on the timer port until it is stopped. */
export interface Flow {
  stop(): void;
}
