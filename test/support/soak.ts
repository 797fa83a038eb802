/** Whether `npm run test:soak` runs: tests that a file of `test/soak/` imports are then as long as they can be. */
export const isSoak = process.env["TOUCHLINE_SOAK"] !== undefined;
