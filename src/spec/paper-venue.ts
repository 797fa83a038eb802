/** `exchange` of the paper venue's markets (§2.7), by which clients recognize it. */
export const PAPER_VENUE = "Touchline paper venue";
