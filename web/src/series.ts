import type { SeriesName } from "../../src/dashboard/history.ts";
import type { StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";

/** Times of the history's points, Unix seconds. */
export function timesSec({ history }: StrategyPanelSnapshot): number[] {
  return history.map(([timeMs]) => timeMs / 1000);
}

/** The values of one series of the history; null where it has none. */
export function valuesOf(
  { history, series }: StrategyPanelSnapshot,
  name: SeriesName,
): (number | null)[] {
  const at = series.indexOf(name) + 1;
  return history.map((point) => point[at] ?? null);
}
