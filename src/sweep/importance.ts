import type { ScoredTrial } from "./trial.ts";

/** Most groups that the values of a parameter are put into. */
const GROUPS = 5;

/**
 * Which share of the objective's variance each parameter explains alone: the correlation ratio η² of the runs grouped by its value, in five
 * groups of equal size where it has more values, adjusted for the number of groups. Null where the runs are too few or all alike.
 */
export function importanceOf(
  trials: readonly ScoredTrial[],
  parameters: number,
): readonly (number | null)[] {
  return Array.from({ length: parameters }, (_, at) => shareOf(trials, at));
}

function shareOf(trials: readonly ScoredTrial[], at: number): number | null {
  const sorted = [...trials].sort((left, right) => (left.point[at] ?? 0) - (right.point[at] ?? 0));
  const coordinates = [...new Set(sorted.map(({ point }) => point[at]))];
  const groups = new Map<unknown, number[]>();
  for (const [rank, { point, objective }] of sorted.entries()) {
    const isFew = coordinates.length <= GROUPS;
    const key = isFew ? point[at] : Math.floor((rank * GROUPS) / sorted.length);
    groups.set(key, [...(groups.get(key) ?? []), objective]);
  }
  const all = sorted.map(({ objective }) => objective);
  const total = squares(all);
  if (groups.size < 2 || all.length <= 2 * groups.size || total === 0) return null;
  const within = [...groups.values()].reduce((sum, group) => sum + squares(group), 0);
  const share = 1 - within / (all.length - groups.size) / (total / (all.length - 1));
  return Number(Math.max(0, share).toFixed(4));
}

/** Sum of the squares of the distances from the mean. */
function squares(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
