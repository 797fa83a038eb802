import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";

const MAX_POINTS = 3600;

/**
 * What the page shows, on the page's own thread: the newest update, and the histories of all updates joined. Both texts are made at
 * most once an update, however many viewers there are.
 */
export class PageState {
  #update = "";
  #snapshot: DashboardSnapshot | undefined;
  #whole: string | undefined;

  /** `update` is a `DashboardSnapshot` as JSON whose histories contain only the points since the update before. */
  apply(update: string): void {
    const fresh = JSON.parse(update) as DashboardSnapshot;
    const known = this.#snapshot?.panels;
    const panels = fresh.panels.map((panel, index) => joined(known?.[index], panel));
    this.#update = update;
    this.#snapshot = { ...fresh, panels };
    this.#whole = undefined;
  }

  /** The newest update, for a viewer that has received all before. */
  get update(): string {
    return this.#update;
  }

  /** The newest snapshot with whole histories; undefined before the first update. */
  get whole(): string | undefined {
    if (this.#snapshot === undefined) return undefined;
    this.#whole ??= JSON.stringify(this.#snapshot);
    return this.#whole;
  }
}

function joined(
  known: StrategyPanelSnapshot | undefined,
  fresh: StrategyPanelSnapshot,
): StrategyPanelSnapshot {
  const history = [...(known?.history ?? []), ...fresh.history].slice(-MAX_POINTS);
  return { ...fresh, history };
}
