/** A run as a point: as much of the objective and as little drawdown as possible. */
export interface ParetoPoint {
  readonly objective: number;
  readonly drawdown: number;
}

/**
 * The runs that no other run beats: none has at least the objective and at most the drawdown, and is better in one of them. Sorted by
 * drawdown. Of equal runs the first stays.
 */
export function paretoFront<Run extends ParetoPoint>(runs: readonly Run[]): readonly Run[] {
  const sorted = [...runs].sort(
    (left, right) => left.drawdown - right.drawdown || right.objective - left.objective,
  );
  let highest = Number.NEGATIVE_INFINITY;
  return sorted.filter(({ objective }) => {
    if (objective <= highest) return false;
    highest = objective;
    return true;
  });
}
