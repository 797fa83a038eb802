import type { ReportSeries } from "../../../src/backtest/report-data.ts";

/** Prices with as many decimals as the recorded mids need, 8 at most. */
export function priceFormat(mids: ReportSeries): (price: number) => string {
  let decimals = 0;
  for (const mid of mids) {
    const fraction = mid === null ? "" : (mid.toFixed(8).replace(/0+$/, "").split(".")[1] ?? "");
    decimals = Math.max(decimals, fraction.length);
  }
  return (price) => price.toFixed(decimals);
}
