import type { FillRow } from "../../src/dashboard/api-rows.ts";

/** As many as the bot keeps. */
const MAX_FILLS = 1000;

/** The newest of the fills, each once, by number. */
export function newestFills(fills: readonly FillRow[]): ReadonlyMap<number, FillRow> {
  const each = [...new Map(fills.map((fill) => [fill.fill, fill]))];
  return new Map(each.sort(([left], [right]) => right - left).slice(0, MAX_FILLS));
}
