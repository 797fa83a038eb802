import { brief } from "./overview.ts";
import type { HistoryPoint } from "./history.ts";
import { limitUse, type LimitUse } from "./limit-use.ts";
import type {
  BalanceRow,
  DashboardSnapshot,
  FillRow,
  LadderRow,
  MarkoutRow,
  OrderRow,
  StrategyPanelSnapshot,
} from "./snapshot.ts";

/** One strategy in one market, beside its row of the overview. Lists that grow are objects, so that a patch holds only what is new. */
export interface MarketDetail
  extends Pick<StrategyPanelSnapshot, "denied" | "described" | "counts" | "position"> {
  readonly name: string;
  readonly book: {
    readonly state: StrategyPanelSnapshot["book"]["state"];
    readonly bids: readonly LadderRow[];
    readonly asks: readonly LadderRow[];
    readonly mid: number | null;
    readonly spread: number | null;
  };
  /** By order id; `unsigned N` before it has one. */
  readonly orders: Readonly<Record<string, ShownOrder>>;
  /** The newest, by number. */
  readonly fills: Readonly<Record<string, FillRow>>;
  /** The newest point of the history, whose values `series` names. */
  readonly point: HistoryPoint | null;
  readonly series: StrategyPanelSnapshot["series"];
  readonly run: StrategyPanelSnapshot["run"];
  readonly markouts: Readonly<Record<string, MarkoutRow>>;
  readonly limits: readonly LimitUse[];
  readonly configured: DashboardSnapshot["limits"];
  readonly balances: readonly BalanceRow[];
  readonly calls: DashboardSnapshot["calls"];
  readonly sources: DashboardSnapshot["sources"];
}

export interface ShownOrder extends Omit<OrderRow, "ageMs"> {
  /** Its strategy decided it then. */
  readonly madeMs: number;
}

const FILLS = 50;

/** Undefined when no strategy has this name. */
export function marketDetail(snapshot: DashboardSnapshot, name: string): MarketDetail | undefined {
  const panel = snapshot.panels.find((one) => one.name === name);
  if (panel === undefined) return undefined;
  const { nowMs, limits, balances, calls, sources } = snapshot;
  const { denied, described, counts, position, book, run, marketId, strategy, series } = panel;
  const symbols = panel.ticker.split("/");
  return {
    name,
    denied,
    described,
    counts,
    position,
    book,
    orders: Object.fromEntries(
      panel.orders.map(({ ageMs, queueAhead, ...order }, at) => [
        order.orderId ?? `unsigned ${at + 1}`,
        { ...order, madeMs: nowMs - ageMs, queueAhead: brief(queueAhead) },
      ]),
    ),
    fills: Object.fromEntries(panel.fills.slice(0, FILLS).map((fill) => [fill.fill, fill])),
    point: panel.history.at(-1) ?? null,
    series,
    run,
    markouts: Object.fromEntries(panel.markouts.map((row) => [row.horizonMs, row])),
    limits: limitUse(panel, limits),
    configured: limits.filter(({ of }) => of === null || of === marketId || of === strategy),
    balances: balances.filter(({ symbol }) => symbols.includes(symbol)),
    calls: calls.filter((row) => row.strategy === strategy),
    sources,
  };
}
