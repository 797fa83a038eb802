import type { ReplayResult, StatisticsFields } from "../backtest/replay-result.ts";
import { riskLines, rounded, rowsOf } from "./summary-text.ts";
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

/** Formats a replay's result for people. */
export function replayText(result: ReplayResult, terminal: Terminal): string {
  const { events, levelChanges, wallMs, levelChangesPerSecond, decisionsHash } = result;
  const parts = [
    `${terminal.bold("Replay")}  ${spanText(result.durationMs)} in ${spanText(wallMs)}`,
    pairs([...rowsOf({ ...result, ...none }, terminal, new Map()), ...statisticsRows(result)]),
  ];
  for (const strategy of result.strategies ?? []) {
    const rows = rowsOf({ ...strategy, ...none }, terminal, new Map());
    parts.push(terminal.bold(strategy.name), pairs([...rows, ...statisticsRows(strategy)]));
  }
  parts.push(
    ...riskLines(result, terminal),
    pairs([
      [
        "  replayed",
        `${events} events, ${levelChanges} level changes, ${levelChangesPerSecond} a second`,
      ],
      ["  decisions", decisionsHash],
    ]),
  );
  return parts.join("\n");
}

function statisticsRows(statistics: StatisticsFields): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [];
  const { pnl, markouts, fillRatio, maxDrawdown } = statistics;
  if (pnl !== null) {
    const { spread, inventory, fees, total } = pnl;
    rows.push([
      "  PnL by source",
      `spread ${rounded(spread)}, inventory ${rounded(inventory)}, fees ${rounded(fees)}: ${rounded(total)}`,
    ]);
  }
  if (maxDrawdown !== null) rows.push(["  max drawdown", rounded(maxDrawdown)]);
  if (markouts !== null) {
    const texts = Object.entries(markouts).map(
      ([span, bps]) => `${span} ${bps === null ? "none" : bps.toFixed(2)}`,
    );
    rows.push(["  markouts in bps", texts.join(", ")]);
  }
  if (fillRatio !== null)
    rows.push(["  fill ratio", `${(fillRatio * 100).toFixed(1)} % of the quantity placed`]);
  return rows;
}
