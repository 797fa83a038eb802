import type { MarketDetail, Overview } from "./api-schema.ts";
import { type AboutBot, overviewOf } from "./overview.ts";
import { MAX_POINTS } from "./history.ts";
import { marketDetail } from "./market-detail.ts";
import { type Json, withoutNulls } from "./merge-patch.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";

const MAX_FILLS = 1_000;
const MAX_LOG = 200;
const STREAMED_LOG = 50;
type LogRow = DashboardSnapshot["warnings"][number];

/** What a viewer sees. */
export interface Viewed extends Overview {
  /** The newest warnings and operator's commands, by number. */
  readonly log: Readonly<Record<string, LogRow>>;
  /** The market that is looked at; null for none. */
  readonly view: MarketDetail | null;
}

/** The state of the bot, on the page's own thread: the newest update, and the histories and fills of all updates joined. */
export class PageState {
  readonly #about: AboutBot & { readonly version: string };
  #snapshot: DashboardSnapshot | undefined;
  #log: readonly LogRow[] = [];
  #logged = 0;
  /** What the newest update shows, by the name of the market that is looked at. */
  readonly #shown = new Map<string | undefined, Json>();

  constructor(about: AboutBot & { readonly version: string }) {
    this.#about = about;
  }

  /** `update` is a `DashboardSnapshot` as JSON whose histories and fills contain only what is new since the update before. */
  apply(update: string): void {
    const fresh = JSON.parse(update) as DashboardSnapshot;
    const known = this.#snapshot?.panels;
    const panels = fresh.panels.map((panel, index) => joinedPanel(known?.[index], panel));
    this.#snapshot = { ...fresh, panels };
    this.#shown.clear();
    const isKnown = ({ timeMs, text }: LogRow): boolean =>
      this.#log.some((row) => row.timeMs === timeMs && row.text === text);
    const rows = fresh.warnings.filter((row) => !isKnown(row));
    this.#logged += rows.length;
    if (rows.length > 0) this.#log = [...this.#log, ...rows].slice(-MAX_LOG);
  }

  /** With whole histories and fills; undefined before the first update. */
  get snapshot(): DashboardSnapshot | undefined {
    return this.#snapshot;
  }

  /** The newest warnings of all updates, newest last. */
  get log(): readonly LogRow[] {
    return this.#log;
  }

  overview(ageMs: number): Overview | undefined {
    return this.#snapshot && overviewOf(this.#snapshot, this.#about, ageMs);
  }

  /** The overview with the market of this name, without members that are null. Made once an update, however many viewers there are. */
  shown(name: string | undefined): Json | undefined {
    const overview = this.overview(0);
    if (overview === undefined || this.#snapshot === undefined) return undefined;
    const made = this.#shown.get(name);
    if (made !== undefined) return made;
    const rows = this.#log.slice(-STREAMED_LOG);
    const first = this.#logged - rows.length + 1;
    const log = Object.fromEntries(rows.map((row, at) => [first + at, row]));
    const view = name === undefined ? null : (marketDetail(this.#snapshot, name) ?? null);
    const viewed: Viewed = { ...overview, log, view };
    const shown = withoutNulls(viewed);
    this.#shown.set(name, shown);
    return shown;
  }
}

/** A panel of an update with the history and the fills of those before; what both have is there once. */
function joinedPanel(
  known: StrategyPanelSnapshot | undefined,
  fresh: StrategyPanelSnapshot,
): StrategyPanelSnapshot {
  if (known === undefined) return fresh;
  const lastMs = known.history.at(-1)?.[0] ?? 0;
  const points = fresh.history.filter(([timeMs]) => timeMs > lastMs);
  const newest = known.fills[0]?.fill ?? 0;
  const fills = fresh.fills.filter(({ fill }) => fill > newest);
  return {
    ...fresh,
    history: [...known.history, ...points].slice(-MAX_POINTS),
    fills: [...fills, ...known.fills].slice(0, MAX_FILLS),
  };
}
