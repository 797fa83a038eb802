import { csvLine } from "../base/csv-line.ts";
import { parameterTitles } from "./parameter-titles.ts";
import type { SweepResult, SweepRow } from "./sweep-result.ts";

/** Text of a value in tables: a text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `results.csv` (RFC 4180): one line for each run in the order of the search. */
export function sweepCsv(result: SweepResult): string {
  const columns = [
    ...columnsBefore,
    ...result.parameters.map((name, at): CsvColumn => [name, (row) => valueText(row.values[at])]),
    [`objective ${result.objective}`, (row) => row.objective] satisfies CsvColumn,
    ...columnsAfter,
    ...ownColumns(result),
    ["reason", ({ reason }) => reason] satisfies CsvColumn,
  ];
  const head = csvLine(columns.map(([title]) => title));
  const lines = result.rows.map((row) => csvLine(columns.map(([, cellOf]) => cellOf(row))));
  return [head, ...lines, ""].join("\n");
}

type CsvColumn = readonly [
  title: string,
  cellOf: (row: SweepRow) => string | number | boolean | null,
];

const columnsBefore: readonly CsvColumn[] = [
  ["number", ({ number }) => number],
  ["window", ({ window }) => window],
  ["phase", ({ phase }) => phase],
  ["rank", ({ rank }) => rank],
];

const columnsAfter: readonly CsvColumn[] = [
  ["pnl", ({ measures }) => measures?.pnl ?? null],
  ["maxDrawdown", ({ measures }) => measures?.maxDrawdown ?? null],
  ["sharpePerHour", ({ measures }) => measures?.sharpe?.ratio ?? null],
  ["sharpeError", ({ measures }) => measures?.sharpe?.error ?? null],
  ["fills", ({ measures }) => measures?.fills ?? null],
  ["volume", ({ measures }) => measures?.volume ?? null],
  ["hours", ({ measures }) => measures?.hours ?? null],
  ["pareto", ({ isPareto }) => isPareto],
];

/** Columns that depend on the strategies: `denied.RULE` for each risk rule that denied a quote, and `own.NAME` for their own numbers. */
export function ownColumns({ rows }: Pick<SweepResult, "rows">): readonly OwnColumn[] {
  return (["denied", "own"] as const).flatMap((kind) =>
    [...new Set(rows.flatMap(({ measures }) => Object.keys(measures?.[kind] ?? {})))].map(
      (name): OwnColumn => [
        `${kind}.${name}`,
        ({ measures }) =>
          measures?.[kind][name] ?? (kind === "denied" && measures !== null ? 0 : null),
      ],
    ),
  );
}

type OwnColumn = readonly [title: string, cellOf: (row: SweepRow) => string | number | null];

/** Such as `bidSpread 62 %, levels 8 %`, the most important first; undefined where none is known. */
export function importanceText({ parameters, importance }: SweepResult): string | undefined {
  const known = parameterTitles(parameters)
    .map((title, at) => ({ title, share: importance[at] ?? null }))
    .flatMap(({ title, share }) => (share === null ? [] : [{ title, share }]))
    .sort((left, right) => right.share - left.share);
  if (known.length === 0) return undefined;
  return known.map(({ title, share }) => `${title} ${(share * 100).toFixed(0)} %`).join(", ");
}

/** `results.json`. */
export function sweepJson(result: SweepResult): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
