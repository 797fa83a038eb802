import { partsOf } from "../domain/market-roles.ts";
import { plainText } from "../base/plain-text.ts";
import { decimate } from "./decimate.ts";
import {
  type Bin,
  latencyOf,
  type LatencyFigures,
  queueBins,
  spreadBins,
} from "./report-figures.ts";
import type { SummaryRiskStep } from "../metrics/summary.ts";
import type { ReplayEquity, ReplayFill, TableRows } from "./replay-tables.ts";
import type { ResultDocument } from "./result-document.ts";

/** Points of all time series of a report together, and markers of all fills. */
const MOST_POINTS = 8_000;
const MOST_FILLS = 4_000;

/** Values over time; null where there is none. */
export type ReportSeries = readonly (number | null)[];

export interface ReportFill {
  readonly timeMs: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly quantity: number;
  /** How many fills this marker stands for. */
  readonly count: number;
}

/** The charts of one strategy. */
export interface ReportStrategy {
  readonly name: string;
  readonly market: string;
  /** The tokens as the recording names them. */
  readonly base: string;
  readonly quote: string;
  readonly timesMs: readonly number[];
  readonly mid: ReportSeries;
  readonly ownBid: ReportSeries;
  readonly ownAsk: ReportSeries;
  readonly position: ReportSeries;
  readonly pnl: ReportSeries;
  readonly spread: ReportSeries;
  readonly inventory: ReportSeries;
  readonly fees: ReportSeries;
  /** 0 or below. */
  readonly underwater: ReportSeries;
  readonly fills: readonly ReportFill[];
  /** Distribution of the recorded spread and of the own one over time. */
  readonly spreads: readonly Bin[];
  /** Orders by the quantity in front of them when they arrived: all, and those that were filled. */
  readonly queues: readonly Bin[];
  readonly latency: LatencyFigures;
}

/** The data of a report's page. */
export interface ReportData {
  readonly document: ResultDocument;
  readonly strategies: readonly ReportStrategy[];
}

/** Reduces the tables of a replay to what a page can show. Its size does not depend on the length of the recording. */
export function reportData(document: ResultDocument, tables: TableRows): ReportData {
  const parts = partsOf(
    document.config.strategies.map(({ market, ...one }) => ({ ...one, marketId: market })),
  );
  const count = parts.length;
  return {
    document: shown(document),
    strategies: parts.map(({ name, marketId: market, ...part }) => {
      const own = <Row extends { readonly strategy: string; readonly market: string }>(
        rows: readonly Row[],
      ) => rows.filter((row) => row.strategy === part.strategy && row.market === market);
      const equity = own(tables.equity);
      const orders = own(tables.orders);
      const fills = own(tables.fills);
      return {
        name: plainText(name),
        market: plainText(market),
        ...tokensFor(document, market),
        ...timeSeries(equity, MOST_POINTS / count),
        fills: fillMarkers(fills, MOST_FILLS / count),
        spreads: spreadBins(equity, fills),
        queues: queueBins(orders),
        latency: latencyOf(orders),
      };
    }),
  };
}

function tokensFor(
  { recording }: ResultDocument,
  market: string,
): Pick<ReportStrategy, "base" | "quote"> {
  const played = recording.markets.find((one) => one.market === market);
  const [base = "base", quote = "quote"] = plainText(played?.ticker ?? market).split(/[/_]/);
  return { base, quote };
}

type TimeSeries = Omit<
  ReportStrategy,
  "name" | "market" | "base" | "quote" | "fills" | "spreads" | "queues" | "latency"
>;

function timeSeries(equity: readonly ReplayEquity[], most: number): TimeSeries {
  const rows = decimate(equity, most, [({ mid }) => numberOf(mid), ({ pnl }) => numberOf(pnl)]);
  const series = (valueOf: (row: ReplayEquity) => string | null): ReportSeries =>
    rows.map((row) => numberOf(valueOf(row)));
  return {
    timesMs: rows.map(({ timeMs }) => timeMs),
    mid: series(({ mid }) => mid),
    ownBid: series(({ ownBid }) => ownBid),
    ownAsk: series(({ ownAsk }) => ownAsk),
    position: series(({ position }) => position),
    pnl: series(({ pnl }) => pnl),
    spread: series(({ spread }) => spread),
    inventory: series(({ inventory }) => inventory),
    fees: series(({ fees }) => fees),
    underwater: underwater(equity, rows),
  };
}

/** The deepest fall since the row before, so that decimation hides none. */
function underwater(
  equity: readonly ReplayEquity[],
  shownRows: readonly ReplayEquity[],
): ReportSeries {
  const kept = new Set(shownRows);
  const falls: number[] = [];
  let deepest = 0;
  for (const row of equity) {
    deepest = Math.max(deepest, Number(row.drawdown));
    if (!kept.has(row)) continue;
    falls.push(deepest === 0 ? 0 : -short(deepest));
    deepest = 0;
  }
  return falls;
}

/** One marker a fill, or with too many of them one for each side and stretch of time, at the mean price. */
function fillMarkers(fills: readonly ReplayFill[], most: number): readonly ReportFill[] {
  const [first] = fills;
  const last = fills.at(-1);
  if (first === undefined || last === undefined) return [];
  const stretchMs =
    fills.length <= most ? 0 : Math.ceil((2 * (last.timeMs - first.timeMs + 1)) / most);
  const markers = new Map<string, { timeMs: number; base: number; value: number; count: number }>();
  for (const [at, fill] of fills.entries()) {
    const part = stretchMs === 0 ? at : Math.floor((fill.timeMs - first.timeMs) / stretchMs);
    const key = `${fill.side} ${part}`;
    const marker = markers.get(key) ?? { timeMs: fill.timeMs, base: 0, value: 0, count: 0 };
    const quantity = Number(fill.quantity);
    marker.base += quantity;
    marker.value += quantity * Number(fill.price);
    marker.count += 1;
    markers.set(key, marker);
  }
  return [...markers].map(([key, { timeMs, base, value, count }]) => ({
    timeMs,
    isBuy: key.startsWith("BUY"),
    price: short(value / base),
    quantity: short(base),
    count,
  }));
}

function numberOf(text: string | null): number | null {
  return text === null ? null : short(Number(text));
}

/** Enough digits for a chart. */
function short(value: number): number {
  return Number(value.toPrecision(10));
}

/** The document with all of its texts made plain: a strategy's reason or a recording's notice may contain anything. */
function shown(document: ResultDocument): ResultDocument {
  return {
    ...document,
    warnings: document.warnings.map((warning) => plainText(warning)),
    ...(document.riskSteps === undefined
      ? {}
      : { riskSteps: document.riskSteps.map((step) => plainStep(step)) }),
    recording: {
      ...document.recording,
      source: plainText(document.recording.source),
      notice:
        document.recording.notice === null ? null : plainText(document.recording.notice, 2_000),
    },
  };
}

function plainStep(step: SummaryRiskStep): SummaryRiskStep {
  const { strategy, message } = step;
  const name = strategy === null ? null : plainText(strategy);
  return { ...step, strategy: name, message: plainText(message) };
}
