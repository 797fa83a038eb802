/** Whether `npm run test:soak` runs: tests that a file of `test/soak/` imports are then as long as they can be. */
export const isSoak = process.env["TOUCHLINE_SOAK"] !== undefined;

/** How many inputs a property is tried with: a fifth of those of the long tests. */
export const runs = (long: number): { readonly numRuns: number } => ({
  numRuns: isSoak ? long : Math.ceil(long / 5),
});
