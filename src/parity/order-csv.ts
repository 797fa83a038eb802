import { csvLine } from "../base/csv-line.ts";
import type { ParityOrderRow } from "./parity-report.ts";

const columns = [
  "found",
  "strategy",
  "market",
  "side",
  "price",
  "liveMs",
  "replayMs",
  "liveQuantity",
  "replayQuantity",
  "liveFilled",
  "replayFilled",
  "liveOrderId",
  "replayOrderId",
] as const;

/** The orders of a run and its replay as CSV, with a header line. */
export function orderCsv(rows: readonly ParityOrderRow[]): string {
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  return `${[csvLine(columns), ...lines].join("\n")}\n`;
}
