import { counted } from "../base/counted.ts";
import type { MarkoutsByHorizon } from "../backtest/replay-result.ts";
import type { ComparedRun } from "../parity/compared-run.ts";
import { ALIKE_FROM, type ModelRow } from "../parity/parity-report.ts";
import { rounded } from "../base/rounded.ts";
import { right, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { spanText, timeText } from "./time-text.ts";

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const signed = (share: number): string => `${share < 0 ? "−" : "+"}${percent(Math.abs(share))}`;

/** The comparison of a run for people. */
export function parityText(
  number: number,
  { report, span, decidedAgain }: ComparedRun,
  terminal: Terminal,
): string {
  const { live, models, best } = report;
  const title = `${terminal.bold("Parity")}  run ${number}, ${spanText(span.toMs - span.fromMs)} from ${timeText(span.fromMs)} UTC`;
  const rows = table(
    [
      "queue",
      "latency",
      right("score"),
      right("precision"),
      right("recall"),
      right("fills"),
      right("filled"),
      right("PnL"),
      right("PnL error"),
      right("orders: both"),
      right("live only"),
      right("replay only"),
      "markouts 100ms to 300s, mid to mid, bps",
    ],
    [
      [
        "the run",
        "",
        "",
        "",
        "",
        String(live.fills),
        "",
        live.pnl === null ? "" : rounded(live.pnl.total),
        "",
        String(live.orders),
        "",
        "",
        markoutsText(live.markouts),
      ],
      ...models.map(cellsOf),
      ...(decidedAgain === undefined ? [] : [decidedAgainCells(decidedAgain)]),
    ],
  );
  return [title, rows, verdict(best, report, terminal)].join("\n");
}

function cellsOf(row: ModelRow): readonly string[] {
  const { matched, onlyLive, onlyReplay } = row.orders;
  return [
    row.queue,
    row.latency,
    row.score.toFixed(3),
    percent(row.precision),
    percent(row.recall),
    String(row.fills),
    signed(row.excess),
    row.pnl === null ? "" : rounded(row.pnl.total),
    row.pnlError === null ? "" : signed(row.pnlError),
    String(matched),
    String(onlyLive),
    String(onlyReplay),
    markoutsText(row.markouts),
  ];
}

function decidedAgainCells(row: ModelRow): readonly string[] {
  const [queue = "", ...cells] = cellsOf(row);
  return [`${queue}, strategies decide again`, ...cells];
}

function markoutsText(markouts: MarkoutsByHorizon | null): string {
  if (markouts === null) return "";
  return Object.values(markouts)
    .map((fields) => (fields === null ? "–" : fields.midToMid.toFixed(2)))
    .join(" ");
}

function verdict(
  best: ModelRow | undefined,
  { live, alike }: ComparedRun["report"],
  terminal: Terminal,
): string {
  if (best === undefined) {
    return "The run has no fills, so nothing can be said about its venue.";
  }
  const fits = `Best: ${terminal.bold(`${best.queue}, ${best.latency}`)}, score ${best.score.toFixed(3)}, from ${counted(live.fills, "fill")}.`;
  const isAlone = alike.queues.length === 1 && alike.latencies.length === 1;
  if (isAlone)
    return `${fits} Every other combination is worse (bootstrap, ${percent(1 - ALIKE_FROM)}).`;
  return `${fits} Not told apart from it (bootstrap, ${percent(1 - ALIKE_FROM)}): queues ${alike.queues.join(", ")}; latencies ${alike.latencies.join(", ")}.`;
}
