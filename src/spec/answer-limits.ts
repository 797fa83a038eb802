import type { JsonLimits } from "./bounded-json.ts";

/** Rows that a client reads of a list whose length the interface leaves open: markets, tickers, tokens, balances, sessions. */
export const OPEN_LIST_MAX = 1_000;

/** Fits the longest row of the interface, a market (20 fields), several times over. */
const ROW = { rowBytes: 1_024, rowValues: 32 };

/** The largest answer with this many rows that a client reads. Room is left for fields that the venue adds. */
export function answerLimits(
  rows: number,
  { rowBytes, rowValues }: { readonly rowBytes: number; readonly rowValues: number } = ROW,
): JsonLimits {
  return { bytes: 65_536 + rows * rowBytes, values: 1_024 + rows * rowValues };
}
