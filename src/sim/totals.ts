import type { WorldReport } from "./world.ts";

/** What many worlds came to. Totals of several runs can be added. */
export interface Totals {
  readonly worlds: number;
  readonly failed: number;
  readonly virtualMs: number;
  readonly wallMs: number;
  readonly reached: Readonly<Record<string, number>>;
  readonly longestMs: Readonly<Record<string, number>>;
}

export const noTotals: Totals = {
  worlds: 0,
  failed: 0,
  virtualMs: 0,
  wallMs: 0,
  reached: {},
  longestMs: {},
};

const MARK = "totals: ";

export function totalsOf(report: WorldReport): Totals {
  return {
    worlds: 1,
    failed: report.violations.length > 0 ? 1 : 0,
    virtualMs: report.virtualMs,
    wallMs: 0,
    reached: Object.fromEntries(report.reached),
    longestMs: Object.fromEntries(report.longestMs),
  };
}

export function addTotals(left: Totals, right: Totals): Totals {
  return {
    worlds: left.worlds + right.worlds,
    failed: left.failed + right.failed,
    virtualMs: left.virtualMs + right.virtualMs,
    wallMs: left.wallMs + right.wallMs,
    reached: merged(left.reached, right.reached, (one, other) => one + other),
    longestMs: merged(left.longestMs, right.longestMs, Math.max),
  };
}

function merged(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
  combine: (one: number, other: number) => number,
): Record<string, number> {
  const sum: Record<string, number> = { ...left };
  for (const [name, value] of Object.entries(right)) sum[name] = combine(sum[name] ?? 0, value);
  return sum;
}

/** The line from which `readTotals` reads them again. */
export function totalsLine(totals: Totals): string {
  return `${MARK}${JSON.stringify(totals)}`;
}

/** The sum of all totals in the output of one or more runs. */
export function readTotals(text: string): Totals {
  let sum = noTotals;
  for (const line of text.split("\n")) {
    if (line.startsWith(MARK)) sum = addTotals(sum, JSON.parse(line.slice(MARK.length)) as Totals);
  }
  return sum;
}

/** The totals for people: outcomes, then faults, then the longest waits. */
export function totalsText(
  { reached, longestMs, worlds, failed, virtualMs, wallMs }: Totals,
  faultNames: readonly string[],
): string {
  const isFault = (what: string): boolean => what.startsWith("fault ");
  const rows = Object.entries(reached).sort(([left], [right]) => (left < right ? -1 : 1));
  const row = (what: string, value: number | string): string => `${what.padEnd(32)} ${value}`;
  const lines = rows.filter(([what]) => !isFault(what)).map(([what, count]) => row(what, count));
  for (const name of faultNames) lines.push(row(`fault ${name}`, reached[`fault ${name}`] ?? 0));
  for (const [what, ms] of Object.entries(longestMs).sort(([left], [right]) =>
    left < right ? -1 : 1,
  )) {
    lines.push(row(`longest ${what}`, `${(ms / 1000).toFixed(1)} s`));
  }
  const missed = missedFaults(reached, faultNames);
  if (missed.length > 0) lines.push(`never occurred: ${missed.join(", ")}`);
  lines.push(
    `${worlds} worlds, ${failed} failed; ${Math.round(virtualMs / 1000)} virtual seconds in ${(wallMs / 1000).toFixed(1)} s`,
  );
  return `${lines.join("\n")}\n`;
}

/** Faults that no world had. */
export function missedFaults(
  reached: Totals["reached"],
  faultNames: readonly string[],
): readonly string[] {
  return faultNames.filter((name) => reached[`fault ${name}`] === undefined);
}
