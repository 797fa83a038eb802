/** `exchange` of our paper venue's markets (§2.7): how a client tells it from a real one. */
export const PAPER_VENUE = "Touchline paper venue";
