import { parameterTitles } from "./parameter-titles.ts";
import { paretoChart, parameterCharts } from "./sweep-charts.ts";
import { escapeHtml } from "../base/html-text.ts";
import { importanceText, ownColumns, valueText } from "./sweep-files.ts";
import type { SweepBest, SweepResult, SweepRow } from "./sweep-result.ts";

/** Rows of the page's table; `results.csv` has all. */
const MAX_ROWS = 200;

/** A table that is still too wide scrolls, and a shadow at an edge says that there is more. */
const style = `
:root { --page: #fff; --edge: rgb(28 35 48 / 35%); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1000px; padding: 1rem; color: #1c2330; background: var(--page); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; background: linear-gradient(90deg, var(--page) 60%, transparent) left, linear-gradient(270deg, var(--page) 60%, transparent) right,
  linear-gradient(90deg, var(--edge), transparent) left, linear-gradient(270deg, var(--edge), transparent) right;
  background-size: 2rem 100%, 2rem 100%, 0.6rem 100%, 0.6rem 100%; background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #dde2ea; white-space: nowrap; }
td.text { text-align: left; white-space: normal; min-width: 14rem; }
.warning { background: #fff4d6; border-left: 4px solid #d9a300; padding: 0.4rem 0.8rem; margin: 0.4rem 0; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
.run { fill: #6b7fa3; } .front { fill: #d1495b; } .line { stroke: #d1495b; fill: none; } .axis { stroke: #9aa5b8; }
@media (max-width: 600px) { th, td { padding: 0.2rem 0.3rem; font-size: 12px; } th { white-space: normal; vertical-align: bottom; } td.text { min-width: 8rem; } }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161d; --edge: rgb(228 232 239 / 35%); } body { color: #e4e8ef; } th, td { border-color: #2c3442; } .warning { background: #3a3113; }
}`;

/** A sweep as one HTML page with tables and charts; it needs no script, no network and no other file. */
export function sweepPage(result: SweepResult): string {
  const { rows, objective, warnings, replayWarnings } = result;
  const importance = importanceText(result);
  const searched = rows.filter(({ phase }) => phase === "search");
  const parts = [
    `<h1>Sweep: ${rows.length} runs by ${escapeHtml(objective)}</h1>`,
    ...warnings.map((text) => `<p class="warning">${escapeHtml(text)}</p>`),
    `<h2>Best parameters</h2>${bestTable(result)}`,
    `<h2>${escapeHtml(objective)} against drawdown</h2>${paretoChart(searched, objective)}`,
    `<h2>${escapeHtml(objective)} by parameter</h2>`,
    ...(importance === undefined
      ? []
      : [`<p>Share of the differences that each explains alone: ${escapeHtml(importance)}.</p>`]),
    parameterCharts(result),
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

/** A column of a table; a column that no row has is left out. */
interface Column<Row> {
  readonly title: string;
  cellOf(row: Row): string | number | null;
  readonly isText?: boolean;
}

function bestTable({ parameters, objective, best }: SweepResult): string {
  const unit = objective === "pnl" ? "pnl per hour" : objective;
  return htmlTable<SweepBest>(
    [
      { title: "window", cellOf: ({ window }) => window },
      { title: "run", cellOf: ({ number }) => number },
      ...parameterColumns<SweepBest>(parameters),
      { title: unit, cellOf: ({ inSample }) => inSample },
      { title: "out of sample", cellOf: ({ outOfSample }) => outOfSample },
      {
        title: "deflated Sharpe ratio",
        cellOf: ({ deflatedSharpe }) => deflatedSharpe?.probability ?? null,
      },
    ],
    best,
  );
}

/** The objective has a column of its own, so the measure that it is has none. */
function runTable({ parameters, objective, rows }: SweepResult): string {
  const measures: readonly (Column<SweepRow> & { readonly of?: SweepResult["objective"] })[] = [
    { title: "pnl", of: "pnl", cellOf: ({ measures }) => numberOf(measures?.pnl) },
    { title: "max drawdown", cellOf: ({ measures }) => numberOf(measures?.maxDrawdown) },
    {
      title: "Sharpe per hour",
      of: "sharpe",
      cellOf: ({ measures }) => measures?.sharpe?.ratio ?? null,
    },
    { title: "fills", cellOf: ({ measures }) => measures?.fills ?? null },
  ];
  const remarkOf = ({ reason, phase }: SweepRow) => reason ?? (phase === "test" ? "test" : null);
  const shown = [...rows].sort(
    (left, right) =>
      (left.window ?? 0) - (right.window ?? 0) ||
      (left.rank ?? Infinity) - (right.rank ?? Infinity),
  );
  const table = htmlTable<SweepRow>(
    [
      { title: "run", cellOf: ({ number }) => number },
      { title: "window", cellOf: ({ window }) => window },
      { title: "rank", cellOf: ({ rank }) => rank },
      ...parameterColumns<SweepRow>(parameters),
      { title: titleOf(objective), cellOf: (row) => row.objective },
      ...measures.filter((measure) => measure.of !== objective),
      ...ownColumns({ rows }).map(([title, cellOf]) => ({ title, cellOf })),
      { title: "Pareto", cellOf: ({ isPareto }) => (isPareto ? "yes" : null) },
      { title: "remark", cellOf: remarkOf, isText: true },
    ],
    shown.slice(0, MAX_ROWS),
  );
  const left = rows.length - MAX_ROWS;
  return left > 0 ? `${table}<p>${left} more runs are in results.csv.</p>` : table;
}

function titleOf(objective: SweepResult["objective"]): string {
  return objective === "sharpe" ? "Sharpe per hour" : objective;
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

function parameterColumns<Row extends { readonly values: readonly unknown[] }>(
  parameters: readonly string[],
): readonly Column<Row>[] {
  return parameterTitles(parameters).map((title, at) => ({
    title,
    cellOf: ({ values }) => valueText(values[at]),
  }));
}

function htmlTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const used = columns.filter(({ cellOf }) => rows.some((row) => cellOf(row) !== null));
  const head = used.map(({ title }) => `<th>${escapeHtml(title)}</th>`).join("");
  const lines = rows.map((row) => {
    const cells = used.map(({ cellOf, isText }) => cell(cellOf(row), isText === true));
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead>\n<tbody>${lines.join("\n")}</tbody></table></div>`;
}

/** A number with six digits, or a text; a dash for null. */
function cell(value: string | number | null, isText: boolean): string {
  const text = typeof value === "number" ? String(Number(value.toPrecision(6))) : (value ?? "–");
  return `<td${isText ? ' class="text"' : ""}>${escapeHtml(text)}</td>`;
}
