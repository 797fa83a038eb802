import { cpus } from "node:os";
import type { BenchCase, BenchRun, PartTimes } from "./bench-case.ts";
import { goals, type Level, type Target } from "./goals.ts";
import type { SideTimes } from "./measure.ts";
import { median } from "./percentile.ts";

export interface Verdict {
  readonly against: string;
  readonly level: Level;
  readonly measured: number;
  readonly unit: "x" | "us";
  readonly must: number;
  readonly stretch: number;
  readonly met: "stretch" | "must" | "missed";
}

/** The result of a case, also the form of its line with `--json`. */
export interface CaseReport {
  readonly event: "bench.case";
  readonly goal: string;
  readonly title: string;
  readonly node: string;
  /** The processor that the figures are of. */
  readonly processor: string;
  readonly rounds: number;
  readonly sides: readonly SideReport[];
  readonly verdicts: readonly Verdict[];
  /** Whether the outputs of all sides are the same. */
  readonly equal: boolean;
  /** The difference between outputs; undefined when there is none. */
  readonly difference: string | undefined;
  readonly missing: readonly string[];
  readonly remarks: readonly string[];
  /** Empty unless requested. */
  readonly parts: PartTimes;
}

export interface SideReport {
  readonly name: string;
  readonly us: Readonly<Partial<Record<Level, number>>>;
  readonly perSecond: number;
  /** How many times as fast ours is: the median of the ratios of each round. */
  readonly ratio: Readonly<Partial<Record<Level, number>>>;
}

const levels: readonly Level[] = ["mean", "p50", "p99"];

export function reportOf(
  benchCase: BenchCase,
  run: BenchRun,
  times: readonly SideTimes[],
): CaseReport {
  const [ours] = times;
  if (ours === undefined) throw new Error(`${benchCase.goal} has no side`);
  const difference = run.check();
  const sides = times.map((side): SideReport => {
    const us = perLevel(side, median);
    return {
      name: side.name,
      us,
      perSecond: 1e6 / (us.mean ?? Number.NaN),
      ratio: side === ours ? {} : ratios(ours, side),
    };
  });
  const missing = [...(run.missing ?? [])];
  const verdicts: Verdict[] = [];
  if (run.notJudged !== undefined) missing.push(`goals not judged: ${run.notJudged}`);
  const targets = run.notJudged === undefined ? (goals[benchCase.goal] ?? []) : [];
  for (const target of targets) {
    const verdict = judge(target, sides);
    // A goal of several cases may have a peer in one of them only.
    if (verdict !== undefined) verdicts.push(verdict);
  }
  if (targets.length > 0 && verdicts.length === 0 && missing.length === 0) {
    missing.push("nothing to judge it by");
  }
  return {
    event: "bench.case",
    goal: benchCase.goal,
    title: benchCase.title,
    node: process.versions.node,
    processor: processorName(),
    rounds: ours.mean?.length ?? 0,
    sides,
    verdicts,
    equal: difference === undefined,
    difference,
    missing,
    remarks: run.remarks?.() ?? [],
    parts: {},
  };
}

/** Model and number of the processors. */
export function processorName(): string {
  const [first, ...others] = cpus();
  return `${1 + others.length} x ${first?.model ?? "unknown processor"}`;
}

function perLevel(
  side: SideTimes,
  summary: (values: readonly number[]) => number,
): SideReport["us"] {
  const result: Partial<Record<Level, number>> = {};
  for (const level of levels) {
    const values = side[level];
    if (values !== undefined) result[level] = summary(values);
  }
  return result;
}

function ratios(ours: SideTimes, peer: SideTimes): SideReport["ratio"] {
  const result: Partial<Record<Level, number>> = {};
  for (const level of levels) {
    const mine = ours[level];
    const theirs = peer[level];
    if (mine === undefined || theirs === undefined) continue;
    result[level] = median(mine.map((us, round) => (theirs[round] ?? Number.NaN) / us));
  }
  return result;
}

function judge(target: Target, sides: readonly SideReport[]): Verdict | undefined {
  const { level } = target;
  if (target.type === "time") {
    const { mustUs: must, stretchUs: stretch } = target;
    const measured = sides[0]?.us[level];
    if (measured === undefined) return undefined;
    const met = measured <= stretch ? "stretch" : measured <= must ? "must" : "missed";
    return { against: "the clock", level, measured, unit: "us", must, stretch, met };
  }
  const { peer, must, stretch } = target;
  const side = sides.find((candidate, at) => at > 0 && candidate.name.includes(peer));
  const measured = side?.ratio[level];
  if (side === undefined || measured === undefined) return undefined;
  const met = measured >= stretch ? "stretch" : measured >= must ? "must" : "missed";
  return { against: side.name, level, measured, unit: "x", must, stretch, met };
}

/** For people: a table of the sides, then how far the goals are met. */
export function textOf(report: CaseReport): string {
  const hasPercentiles = report.sides[0]?.us.p50 !== undefined;
  const header = hasPercentiles
    ? ["", "p50 us", "p99 us", "mean us", "ours x p50", "ours x p99"]
    : ["", "us", "per second", "ours x"];
  const rows = report.sides.map(({ name, us, perSecond, ratio }) =>
    hasPercentiles
      ? [name, short(us.p50), short(us.p99), short(us.mean), times(ratio.p50), times(ratio.p99)]
      : [name, short(us.mean), short(perSecond), times(ratio.mean)],
  );
  const lines = [`${report.goal}  ${report.title} (${report.rounds} rounds)`];
  lines.push(...table([header, ...rows]).map((line) => `  ${line}`));
  for (const verdict of report.verdicts) lines.push(`  ${sentence(verdict)}`);
  lines.push(report.equal ? "  outputs equal" : `  OUTPUTS DIFFER: ${report.difference}`);
  lines.push(`  Node ${report.node}, ${report.processor}`);
  for (const line of [...report.missing, ...report.remarks]) lines.push(`  ${line}`);
  const parts = Object.entries(report.parts).map(([name, us]) => `${name} ${us}`);
  if (parts.length > 0) lines.push(`  parts of ours, median us: ${parts.join("; ")}`);
  return `${lines.join("\n")}\n`;
}

function sentence({ against, level, measured, unit, must, stretch, met }: Verdict): string {
  const name = level === "mean" ? "" : ` at ${level}`;
  const goal =
    unit === "x"
      ? `must ${must}x, stretch ${stretch}x`
      : `must ${must} us or less, stretch ${stretch} us`;
  const word = met === "missed" ? "MISSED" : met === "must" ? "must met" : "stretch met";
  return `${word}: ${short(measured)}${unit === "x" ? "x" : " us"} against ${against}${name} (${goal})`;
}

function times(ratio: number | undefined): string {
  return ratio === undefined ? "" : short(ratio);
}

/** Three significant digits. */
function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}
