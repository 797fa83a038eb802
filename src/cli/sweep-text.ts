import { counted } from "../base/counted.ts";
import type { SweepBest, SweepResult, SweepRow } from "../sweep/sweep-result.ts";
import { parameterTitles } from "../sweep/parameter-titles.ts";
import { importanceText, ownColumns, valueText } from "../sweep/sweep-files.ts";
import { rounded } from "../base/rounded.ts";
import { right, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Formats the result of a sweep for people: the best runs, the Pareto front, and the windows of a walk-forward. */
export function sweepText(result: SweepResult, count: number, terminal: Terminal): string {
  const searched = result.rows.filter(({ rank }) => rank !== null);
  const isWalkForward = result.rows.some(({ window }) => window !== null);
  const parts = isWalkForward
    ? [terminal.bold("Walk-forward"), windowTable(result)]
    : [
        terminal.bold(
          `Best ${Math.min(count, searched.length)} of ${counted(result.rows.length, "run")}`,
        ),
        rowTable(result, [...searched].sort(byRank).slice(0, count)),
        terminal.bold("Pareto front: objective against drawdown"),
        rowTable(
          result,
          searched
            .filter(({ isPareto }) => isPareto)
            .sort(byRank)
            .slice(0, count),
        ),
      ];
  if (searched.length === 0) return "No run counts.";
  const importance = importanceText(result);
  if (importance !== undefined) parts.push(`Explains the differences alone: ${importance}`);
  if (result.decay !== null) {
    const word = result.decay < 0 ? "Gained" : "Lost";
    const share = (Math.abs(result.decay) * 100).toFixed(1);
    parts.push(`${word} out of sample: ${share} % of the objective`);
  }
  for (const each of result.best.slice(0, isWalkForward ? 0 : 1)) parts.push(...deflated(each));
  return parts.join("\n");
}

function byRank(left: SweepRow, right: SweepRow): number {
  return (left.rank ?? 0) - (right.rank ?? 0);
}

function rowTable({ parameters, objective }: SweepResult, rows: readonly SweepRow[]): string {
  const own = ownColumns({ rows });
  return table(
    [
      right("run"),
      ...parameterTitles(parameters).map(right),
      right(objective),
      ...(objective === "pnl" ? [] : [right("pnl")]),
      right("drawdown"),
      ...(objective === "sharpe" ? [] : [right("sharpe/h")]),
      right("fills"),
      ...own.map(([title]) => right(title)),
    ],
    rows.map((row) => {
      const { number, values, objective: value, measures } = row;
      return [
        String(number),
        ...values.map(valueText),
        figure(value),
        ...(objective === "pnl" ? [] : [amount(measures?.pnl)]),
        amount(measures?.maxDrawdown),
        ...(objective === "sharpe" ? [] : [figure(measures?.sharpe?.ratio)]),
        String(measures?.fills ?? 0),
        ...own.map(([, cellOf]) => ownText(cellOf(row))),
      ];
    }),
  );
}

function ownText(value: string | number | null): string {
  return typeof value === "string" ? value : figure(value);
}

function windowTable({ parameters, best, objective }: SweepResult): string {
  const unit = objective === "pnl" ? "pnl/h" : objective;
  return table(
    [
      right("window"),
      right("run"),
      ...parameterTitles(parameters).map(right),
      right(`${unit} in sample`),
      right("out of sample"),
      right("deflated Sharpe"),
    ],
    best.map((each) => [
      String(each.window ?? ""),
      String(each.number),
      ...each.values.map(valueText),
      figure(each.inSample),
      figure(each.outOfSample),
      figure(each.deflatedSharpe?.probability),
    ]),
  );
}

function deflated({ deflatedSharpe }: SweepBest): readonly string[] {
  if (deflatedSharpe === null) return [];
  const { probability, trials } = deflatedSharpe;
  return [
    `Deflated Sharpe ratio: ${probability.toFixed(2)}, the probability that the best run is better than the best of ${counted(trials, "run")} without skill`,
  ];
}

function figure(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : String(Number(value.toPrecision(6)));
}

function amount(text: string | null | undefined): string {
  return text === null || text === undefined ? "–" : rounded(text);
}
