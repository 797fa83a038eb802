import type { HistoryPoint, SeriesName } from "./history.ts";

/** What the page is sent, several times a second: plain JSON, bounded. Times are ours, milliseconds since the epoch. */
export interface DashboardSnapshot {
  readonly nowMs: number;
  readonly panels: readonly StrategyPanelSnapshot[];
  readonly latency: {
    readonly tickToOrderP50Us: number | null;
    readonly tickToOrderP99Us: number | null;
  };
  /** Requests sent, mean of the last ten seconds, and what the budget allows; both a second. */
  readonly requests: { readonly perSecond: number; readonly limit: number };
  /** Newest last. */
  readonly warnings: readonly { readonly timeMs: number; readonly text: string }[];
  /** Entries that observers missed because the ring was full. */
  readonly missed: number;
}

/** One strategy in its market. */
export interface StrategyPanelSnapshot {
  readonly strategy: string;
  readonly marketId: string;
  readonly ticker: string;
  readonly book: {
    readonly state: "closed" | "syncing" | "live";
    /** Best first: price, quantity of everyone, our own part of it. */
    readonly bids: readonly LadderRow[];
    readonly asks: readonly LadderRow[];
    readonly mid: number | null;
    readonly spread: number | null;
  };
  /** Why a side is not quoted; null while it is. */
  readonly reason: { readonly BUY: string | null; readonly SELL: string | null };
  readonly orders: readonly OrderRow[];
  /** Newest first. */
  readonly fills: readonly FillRow[];
  readonly account: {
    /** Change of base since the start, net of fees; decimal text. */
    readonly inventory: string;
    readonly averagePrice: string | null;
    readonly realisedPnl: string;
    readonly unrealisedPnl: string | null;
    readonly fees: Readonly<Record<string, string>>;
  };
  readonly counts: {
    readonly placed: number;
    readonly kept: number;
    readonly replaced: number;
    readonly canceled: number;
    readonly fills: number;
    readonly rejected: number;
  };
  /** One point a second since the start, at most an hour; only those that this viewer was not sent yet. */
  readonly history: readonly HistoryPoint[];
  /** What the values of a point are, in their order. */
  readonly series: readonly SeriesName[];
}

/** `[price, quantity, own quantity]` */
export type LadderRow = readonly [number, number, number];

export interface OrderRow {
  readonly side: "BUY" | "SELL";
  readonly price: number;
  readonly remaining: string;
  readonly ageMs: number;
  readonly state: string;
}

export interface FillRow {
  readonly timeMs: number;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: string;
  readonly isMaker: boolean;
}
