import type { CallTimeRow } from "../metrics/call-time-row.ts";
import type { DenialRow } from "../metrics/denials.ts";
import type { Portfolio, PortfolioPnl } from "../metrics/portfolio.ts";
import type { PositionFigures } from "../metrics/position-figures.ts";
import type { Summary } from "../metrics/summary.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { Described } from "../domain/described.ts";
import type * as rows from "./api-rows.ts";
import type { HistoryPoint, SeriesName } from "./history.ts";
import type { Latencies } from "./latency-fold.ts";
import type { LimitRow } from "./limit-rows.ts";

type Row<Name extends keyof typeof rows> = rows.Data<(typeof rows)[Name]>;

/** The JSON that the page receives several times a second, of bounded size. Times are the bot's, in Unix milliseconds. */
export interface DashboardSnapshot {
  readonly nowMs: number;
  readonly panels: readonly StrategyPanelSnapshot[];
  readonly portfolio: Portfolio;
  /** Strategies with several markets, each of them together. */
  readonly nets: NonNullable<Summary["nets"]>;
  readonly latency: {
    readonly tickToOrderP50Us: number | null;
    readonly tickToOrderP99Us: number | null;
  };
  /** How long the strategies' functions took. */
  readonly calls: readonly CallTimeRow[];
  /** The price sources. */
  readonly sources: readonly SourceRow[];
  readonly requests: Row<"requests">;
  readonly guard: Row<"guard">;
  /** Limits as configured, and those that were derived because the configuration leaves them unset. */
  readonly limits: readonly LimitRow[];
  /** The account's, as the venue last listed them; decimal text. */
  readonly balances: readonly Row<"balance">[];
  /** Open orders of the account that are not the bot's own. */
  readonly foreign: Row<"foreign">;
  /** Newest last. */
  readonly warnings: readonly Row<"warning">[];
  /** For the metrics. */
  readonly latencies: Latencies;
  /** Steps that observers missed because their ring was full. */
  readonly missed: number;
}

/** One strategy in one of its markets. */
export interface StrategyPanelSnapshot {
  readonly strategy: string;
  /** `maker` in the strategy's own market, `maker/hedge` in another. */
  readonly name: string;
  readonly marketId: string;
  readonly ticker: string;
  readonly book: Row<"book">;
  readonly reason: Row<"reason">;
  readonly standstill: Row<"standstill">;
  /** Why its market is not quoted until an operator resumes; null while it is. */
  readonly left: string | null;
  /** The step of the risk ladder, `normal` for none, with the sentence that explains it. */
  readonly risk: Row<"risk">;
  /** Orders of this run that the risk rules denied, by rule. */
  readonly denied: readonly DenialRow[];
  /** The strategy's own numbers (`describe`). */
  readonly described: Described;
  readonly orders: readonly Row<"order">[];
  /** Newest first; only those that this viewer has not received, or a few of them again. */
  readonly fills: readonly Row<"fill">[];
  readonly position: PositionFigures;
  /** PnL and the position's value in the reporting currency. */
  readonly reported: PortfolioPnl & { readonly exposure: string | null };
  /** Of this run alone, as if it had begun without a position; decimal text. */
  readonly run: Row<"run">;
  readonly markouts: readonly Row<"markout">[];
  /** Of this run so far. */
  readonly uptime: UptimeShares | null;
  readonly counts: Row<"counts">;
  /** One point a second of at most the last hour; only points that this viewer has not received. */
  readonly history: readonly HistoryPoint[];
  /** Names of a point's values, in their order. */
  readonly series: readonly SeriesName[];
}
