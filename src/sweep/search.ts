import type { Point } from "./parameter-space.ts";

/** A combination with the value of the objective; undefined when its run failed or does not count. */
export interface ScoredPoint {
  readonly point: Point;
  readonly score: number | undefined;
}

/** Proposes combinations. The same seed and the same scores give the same proposals. */
export interface Search {
  /** The next combinations, none proposed before; empty at the end. `scored` has all earlier ones. */
  next(scored: readonly ScoredPoint[]): readonly Point[];
}
