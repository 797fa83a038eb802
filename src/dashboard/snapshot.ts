import type { RiskStep } from "../domain/risk-step.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { CallTimeRow } from "../metrics/call-time-row.ts";
import type { DenialRow } from "../metrics/denials.ts";
import type { Portfolio, PortfolioPnl } from "../metrics/portfolio.ts";
import type { PositionFigures } from "../metrics/position-figures.ts";
import type { Summary } from "../metrics/summary.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import type { Described } from "../domain/described.ts";
import type { HistoryPoint, SeriesName } from "./history.ts";
import type { Latencies } from "./latency-fold.ts";
import type { LimitRow } from "./limit-rows.ts";

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
  /** Requests per second: the mean of the last ten seconds, and the rate budget's limit. */
  readonly requests: { readonly perSecond: number; readonly limit: number };
  /** Whether a guard process is connected; `lost` when one was and is not any more. */
  readonly guard: "none" | "connected" | "lost";
  /** Limits as configured, and those that were derived because the configuration leaves them unset. */
  readonly limits: readonly LimitRow[];
  /** The account's, as the venue last listed them; decimal text. */
  readonly balances: readonly BalanceRow[];
  readonly foreign: ForeignRows;
  /** Newest last. */
  readonly warnings: readonly { readonly timeMs: number; readonly text: string }[];
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
  readonly book: {
    readonly state: "closed" | "syncing" | "live";
    /** Best level first. */
    readonly bids: readonly LadderRow[];
    readonly asks: readonly LadderRow[];
    readonly mid: number | null;
    readonly spread: number | null;
  };
  /** Why a side is not quoted; null while it is. */
  readonly reason: { readonly BUY: string | null; readonly SELL: string | null };
  /** Why it stands still, alone or with the whole bot: by the operator or by risk; null while it may quote. */
  readonly standstill: "halted" | "paused" | null;
  /** Why its market is not quoted until an operator resumes; null while it is. */
  readonly left: string | null;
  /** The step of the risk ladder, `normal` for none, with the sentence that explains it. */
  readonly risk: { readonly step: RiskStep; readonly reason: string };
  /** Orders of this run that the risk rules denied, by rule. */
  readonly denied: readonly DenialRow[];
  /** The strategy's own numbers (`describe`). */
  readonly described: Described;
  readonly orders: readonly OrderRow[];
  /** Newest first; only those that this viewer has not received, or a few of them again. */
  readonly fills: readonly FillRow[];
  readonly position: PositionFigures;
  /** PnL and the position's value in the reporting currency. */
  readonly reported: PortfolioPnl & { readonly exposure: string | null };
  /** Of this run alone, as if it had begun without a position; decimal text. */
  readonly run: {
    /** Change of the base amount, net of fees. */
    readonly inventory: string;
    /** Null when it is not flat and there is no mid. */
    readonly pnl: string | null;
    /** Traded, in quote token. */
    readonly volume: string;
    /** Where the PnL comes from, as of `PnlAttribution`; null without a mid. */
    readonly parts: {
      readonly spread: string;
      readonly inventory: string;
      readonly fees: string;
    } | null;
  };
  /** How the mid moved after this run's fills, from their prices. */
  readonly markouts: readonly MarkoutRow[];
  /** Of this run so far. */
  readonly uptime: UptimeShares | null;
  readonly counts: {
    readonly placed: number;
    readonly kept: number;
    readonly replaced: number;
    readonly canceled: number;
    readonly fills: number;
    readonly rejected: number;
  };
  /** One point a second of at most the last hour; only points that this viewer has not received. */
  readonly history: readonly HistoryPoint[];
  /** Names of a point's values, in their order. */
  readonly series: readonly SeriesName[];
}

/** `[price, total quantity, own quantity]` of a level. */
export type LadderRow = readonly [number, number, number];

export interface MarkoutRow {
  readonly horizonMs: number;
  /** Null while no fill is old enough; the error with fewer than two orders. */
  readonly bps: number | null;
  readonly error: number | null;
  readonly orders: number;
}

export interface BalanceRow {
  readonly token: string;
  readonly symbol: string;
  readonly unlocked: string;
  readonly locked: string;
}

/** Open orders of the account that are not the bot's own. */
export interface ForeignRows {
  readonly count: number;
  /** The first of them, by order id. */
  readonly orders: Readonly<Record<string, ForeignRow>>;
}

export interface ForeignRow {
  readonly market: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly remaining: string;
  readonly madeMs: number;
  /** Strategies that can take it over. */
  readonly takers: readonly string[];
}

export interface OrderRow {
  /** Null until it is signed. */
  readonly orderId: string | null;
  readonly side: "BUY" | "SELL";
  readonly price: number;
  readonly remaining: string;
  readonly ageMs: number;
  /** Estimate of what is ahead of it at its price, base token; null while it does not rest. */
  readonly queueAhead: number | null;
  readonly state: string;
}

export interface FillRow {
  /** Its number in this run of the bot, from 1. */
  readonly fill: number;
  readonly orderId: string;
  readonly tradeId: string;
  readonly timeMs: number;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: string;
  readonly isMaker: boolean;
}
