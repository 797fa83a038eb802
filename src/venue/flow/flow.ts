/** Order flow that the venue generates itself. It runs on the timer port until it is stopped. */
export interface Flow {
  stop(): void;
}
