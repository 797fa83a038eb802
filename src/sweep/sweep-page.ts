import { parameterTitles } from "./parameter-titles.ts";
import { paretoChart, parameterCharts } from "./sweep-charts.ts";
import { escapeHtml } from "../base/html-text.ts";
import { valueText } from "./sweep-files.ts";
import type { SweepBest, SweepResult, SweepRow } from "./sweep-result.ts";

/** Rows of the page's table; `results.csv` has all. */
const MAX_ROWS = 200;

const style = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1000px; padding: 1rem; color: #1c2330; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #dde2ea; white-space: nowrap; }
td.text { text-align: left; white-space: normal; min-width: 14rem; }
.warning { background: #fff4d6; border-left: 4px solid #d9a300; padding: 0.4rem 0.8rem; margin: 0.4rem 0; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
.run { fill: #6b7fa3; } .front { fill: #d1495b; } .line { stroke: #d1495b; fill: none; } .axis { stroke: #9aa5b8; }
@media (prefers-color-scheme: dark) {
  body { background: #12161d; color: #e4e8ef; } th, td { border-color: #2c3442; } .warning { background: #3a3113; }
}`;

/** A sweep as one HTML page with tables and charts; it needs no script, no network and no other file. */
export function sweepPage(result: SweepResult): string {
  const { rows, best, objective, warnings, replayWarnings } = result;
  const searched = rows.filter(({ phase }) => phase === "search");
  const parts = [
    `<h1>Sweep: ${rows.length} runs by ${escapeHtml(objective)}</h1>`,
    ...warnings.map((text) => `<p class="warning">${escapeHtml(text)}</p>`),
    `<h2>Best parameters</h2>${bestTable(result, best)}`,
    `<h2>${escapeHtml(objective)} against drawdown</h2>${paretoChart(searched, objective)}`,
    `<h2>${escapeHtml(objective)} by parameter</h2>${parameterCharts(result)}`,
    `<h2>Runs</h2>${runTable(result)}`,
    ...replayWarnings.map((text) => `<p>Replay: ${escapeHtml(text)}</p>`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sweep by ${escapeHtml(objective)}</title>
<style>${style}
</style>
</head>
<body>
${parts.join("\n")}
</body>
</html>
`;
}

function bestTable({ parameters, objective }: SweepResult, best: readonly SweepBest[]): string {
  const unit = objective === "pnl" ? "pnl per hour" : objective;
  const titles = [
    "window",
    "run",
    ...parameterTitles(parameters),
    unit,
    "out of sample",
    "deflated Sharpe ratio",
  ];
  return htmlTable(
    titles,
    best.map((each) => [
      cell(each.window),
      cell(each.number),
      ...each.values.map((value) => cell(valueText(value))),
      cell(each.inSample),
      cell(each.outOfSample),
      cell(each.deflatedSharpe?.probability ?? null),
    ]),
  );
}

function runTable({ parameters, objective, rows }: SweepResult): string {
  const titles = ["run", "window", "rank", ...parameterTitles(parameters), objective];
  const more = ["pnl", "max drawdown", "Sharpe per hour", "fills", "Pareto", "remark"];
  const shown = [...rows].sort(
    (left, right) =>
      (left.window ?? 0) - (right.window ?? 0) ||
      (left.rank ?? Infinity) - (right.rank ?? Infinity),
  );
  const table = htmlTable([...titles, ...more], shown.slice(0, MAX_ROWS).map(runCells));
  const left = rows.length - MAX_ROWS;
  return left > 0 ? `${table}<p>${left} more runs are in results.csv.</p>` : table;
}

function runCells(row: SweepRow): readonly string[] {
  const { measures } = row;
  const remark = row.reason ?? (row.phase === "test" ? "test" : "");
  return [
    cell(row.number),
    cell(row.window),
    cell(row.rank),
    ...row.values.map((value) => cell(valueText(value))),
    cell(row.objective),
    cell(measures?.pnl ?? null),
    cell(measures?.maxDrawdown ?? null),
    cell(measures?.sharpe?.ratio ?? null),
    cell(measures?.fills ?? null),
    cell(row.isPareto ? "yes" : ""),
    `<td class="text">${escapeHtml(remark)}</td>`,
  ];
}

function htmlTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th>${escapeHtml(title)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.join("")}</tr>`).join("\n");
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>`;
}

/** A number with six digits, or a text; a dash for null. */
function cell(value: string | number | null): string {
  const text = typeof value === "number" ? String(Number(value.toPrecision(6))) : (value ?? "–");
  return `<td>${escapeHtml(text)}</td>`;
}
