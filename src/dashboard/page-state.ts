import { joinedPanel } from "./joined-panel.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

const MAX_LOG = 200;
type LogRow = DashboardSnapshot["warnings"][number];

/**
 * What the page shows, on the page's own thread: the newest update, and the histories and fills of all updates joined. Both texts are
 * made at most once an update, however many viewers there are.
 */
export class PageState {
  #update = "";
  #snapshot: DashboardSnapshot | undefined;
  #whole: string | undefined;
  #log: readonly LogRow[] = [];

  /** `update` is a `DashboardSnapshot` as JSON whose histories and fills contain only what is new since the update before. */
  apply(update: string): void {
    const fresh = JSON.parse(update) as DashboardSnapshot;
    const known = this.#snapshot?.panels;
    const panels = fresh.panels.map((panel, index) => joinedPanel(known?.[index], panel));
    this.#update = update;
    this.#snapshot = { ...fresh, panels };
    this.#whole = undefined;
    const isKnown = ({ timeMs, text }: LogRow): boolean =>
      this.#log.some((row) => row.timeMs === timeMs && row.text === text);
    const rows = fresh.warnings.filter((row) => !isKnown(row));
    if (rows.length > 0) this.#log = [...this.#log, ...rows].slice(-MAX_LOG);
  }

  /** The newest update, for a viewer that has received all before. */
  get update(): string {
    return this.#update;
  }

  /** With whole histories and fills; undefined before the first update. */
  get snapshot(): DashboardSnapshot | undefined {
    return this.#snapshot;
  }

  /** The newest warnings of all updates, newest last. */
  get log(): readonly LogRow[] {
    return this.#log;
  }

  /** The snapshot as JSON. */
  get whole(): string | undefined {
    if (this.#snapshot === undefined) return undefined;
    this.#whole ??= JSON.stringify(this.#snapshot);
    return this.#whole;
  }
}
