import { netRows } from "./net-text.ts";
import { counted } from "../base/counted.ts";
import {
  type InventoryFields,
  type MarkoutsByHorizon,
  markoutText,
  midAgeText,
  type PnlText,
  reactionText,
  type ReplayResult,
  type StatisticsFields,
} from "../backtest/replay-result.ts";
import type { LevelFigures } from "../backtest/level-statistics.ts";
import { modelsText } from "../backtest/used-models.ts";
import type { MarkoutBasis } from "../metrics/markouts.ts";
import type { SharpeEstimate } from "../metrics/sharpe-ratio.ts";
import { rounded } from "../base/rounded.ts";
import { meanRows, riskLines, rowsOf } from "./summary-text.ts";
import { pairs } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { spanText } from "./time-text.ts";

/** Fields of a summary that a replay does not have. */
const none = {
  tickToOrderP50Us: null,
  tickToOrderP99Us: null,
  bookAudits: 0,
  bookAuditMismatches: 0,
  staleMs: 0,
  ownTradeLagP50Ms: null,
  ownTradeLagP99Ms: null,
  ownTradeLagMaxMs: null,
} as const;

/** Formats a replay's result for people. `symbols` maps token ids to symbols. */
export function replayText(
  result: ReplayResult,
  terminal: Terminal,
  symbols: ReadonlyMap<string, string>,
): string {
  const { events, levelChanges, wallMs, levelChangesPerSecond, decisionsHash } = result;
  const parts = [
    `${terminal.bold("Replay")}  ${spanText(result.durationMs)} in ${spanText(wallMs)}`,
    pairs(result.notModelled.map((text) => ["  not modelled", text] as const)),
    pairs([
      ...rowsOf({ ...result, ...none }, terminal, symbols),
      ...meanRows(result),
      ...netRows(result.nets, symbols),
      ...statisticsRows(result),
    ]),
  ];
  for (const strategy of result.strategies ?? []) {
    const rows = rowsOf({ ...strategy, ...none }, terminal, symbols);
    parts.push(terminal.bold(strategy.name), pairs([...rows, ...statisticsRows(strategy)]));
  }
  parts.push(
    ...riskLines(result, terminal),
    pairs([
      ...totalsRows(result, symbols),
      ["  models", modelsText(result.models)],
      [
        "  replayed",
        `${counted(events, "event")}, ${counted(levelChanges, "level change")}, ${levelChangesPerSecond} a second`,
      ],
      ["  decisions", decisionsHash],
    ]),
  );
  return parts.join("\n");
}

function statisticsRows(statistics: StatisticsFields): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [];
  const { pnl, markouts, midAgeMs, fillRatio, orderToTradeRatio, maxDrawdown, sharpe } = statistics;
  if (pnl !== null) {
    rows.push(["  PnL by source", pnlBySource(pnl)]);
  }
  if (maxDrawdown !== null) rows.push(["  max drawdown", rounded(maxDrawdown)]);
  if (sharpe !== null) rows.push(["  Sharpe ratio", sharpeText(sharpe)]);
  if (markouts !== null) {
    rows.push(["  markouts, mid to mid", markoutsText(markouts, "midToMid")]);
    rows.push(["  markouts, fill to mid", markoutsText(markouts, "fillToMid")]);
  }
  const { levels } = statistics;
  if (levels !== null && levels.length > 1) {
    for (const level of levels) rows.push([`  level ${level.key}`, levelText(level)]);
  }
  if (midAgeMs !== null) rows.push(["  age of that mid, ms", midAgeText(midAgeMs)]);
  if (fillRatio !== null)
    rows.push(["  fill ratio", `${(fillRatio * 100).toFixed(1)} % of the quantity placed`]);
  if (orderToTradeRatio !== null)
    rows.push([
      "  order-to-trade",
      `${orderToTradeRatio.toFixed(1)} commands a fill, ${statistics.commandsPerFilledOrder?.toFixed(1) ?? "–"} a filled order`,
    ]);
  if (statistics.reaction !== null) rows.push(["  reaction", reactionText(statistics.reaction)]);
  rows.push(...inventoryRows(statistics.inventoryStatistics));
  return rows;
}

function pnlBySource({ spread, inventory, fees, total }: PnlText): string {
  return `spread ${rounded(spread)}, inventory ${rounded(inventory)}, fees ${rounded(fees)}: ${rounded(total)}`;
}

/** `12 fills of 30 orders, 3.4 base of 15, markouts mid to mid 1s -0.31, 10s 0.52 bps`. */
function levelText({ fills, orders, filled, placed, markouts }: LevelFigures): string {
  const text = Object.entries(markouts).flatMap(([horizon, mean]) =>
    mean === null ? [] : [`${horizon} ${mean.toFixed(2)}`],
  );
  const means = text.length === 0 ? "" : `, markouts mid to mid ${text.join(", ")} bps`;
  return `${counted(fills, "fill")}, ${rounded(filled)} of ${rounded(placed)} base in ${counted(orders, "order")}${means}`;
}

/** `1.2 an hour (95 %: -0.4 to 2.8)`. */
function sharpeText({ perHour, low, high }: SharpeEstimate): string {
  return `${perHour.toFixed(2)} an hour (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/** Horizons that no fill is old enough for are left out. */
function markoutsText(markouts: MarkoutsByHorizon, basis: MarkoutBasis): string {
  const texts = Object.entries(markouts).flatMap(([horizon, fields]) =>
    fields === null ? [] : [`${horizon} ${markoutText(fields, basis, 2)}`],
  );
  return texts.length === 0 ? "none" : `${texts.join(", ")} bps`;
}

function inventoryRows(figures: InventoryFields | null): (readonly [string, string])[] {
  if (figures === null) return [];
  const { mean, max, min, timeAtLimit, halfLifeMs } = figures;
  const parts = [`mean ${rounded(mean)}, ${rounded(min)} to ${rounded(max)}`];
  if (timeAtLimit !== null) parts.push(`${(timeAtLimit * 100).toFixed(1)} % of the time at limit`);
  if (halfLifeMs !== null) parts.push(`half-life ${spanText(halfLifeMs)}`);
  return [["  position held", parts.join(", ")]];
}

/** The totals, where they say more than the figures above. */
function totalsRows(
  { totals, pnl }: ReplayResult,
  symbols: ReadonlyMap<string, string>,
): (readonly [string, string])[] {
  if (totals === null || totals.pnl.total === pnl?.total) return [];
  const { currency, sharpe, maxDrawdown } = totals;
  const rows: (readonly [string, string])[] = [
    [`  total in ${symbols.get(currency) ?? `token ${currency}`}`, pnlBySource(totals.pnl)],
    ["  total drawdown", rounded(maxDrawdown)],
  ];
  if (sharpe !== null) rows.push(["  total Sharpe", sharpeText(sharpe)]);
  return rows;
}
