import { Prng } from "../../../src/base/prng.ts";
import type { SoakVenue } from "./stage.ts";
import { mayMount, type TroubleName, type TroubleResult, troubles } from "./troubles.ts";

export interface TroubleRun {
  readonly count: number;
  readonly seed: number;
  readonly lastsMs: Readonly<Partial<Record<TroubleName, number>>>;
  /** Cases at the same time, each with a bot of its own. */
  readonly parallel: number;
}

/** Runs every trouble `count` times, at random moments; `line` receives one line a case. */
export async function runTroubles(
  venue: SoakVenue,
  { count, seed, lastsMs, parallel }: TroubleRun,
  line: (text: string) => void,
): Promise<readonly TroubleResult[]> {
  const prng = new Prng(seed);
  const waiting = Object.keys(lastsMs).flatMap((name) => {
    const trouble = name as TroubleName;
    if (trouble === "full disk" && !mayMount()) {
      line("full disk: left out, this user may not mount a file system");
      return [];
    }
    return Array.from({ length: count }, (_, index) => ({
      trouble,
      index,
      quoteMs: prng.int(1_000, 6_000),
    }));
  });
  const results: TroubleResult[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { trouble, index, quoteMs } = next;
      const options = { venue, index, quoteMs, lastsMs: lastsMs[trouble] ?? 0 };
      const result = { trouble, ...(await troubles[trouble](options)) };
      results.push(result);
      line(caseLine(index, result));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}

/** Whether a case went as documented. */
export function isFine({
  left,
  exitCode,
  expectedExitCode,
  untilNoneMs,
  problems,
}: TroubleResult): boolean {
  return (
    left === 0 &&
    exitCode === expectedExitCode &&
    untilNoneMs !== undefined &&
    problems.length === 0
  );
}

function caseLine(index: number, result: TroubleResult): string {
  const { trouble, variant, open, left, exitCode, untilNoneMs, untilOldGoneMs, problems } = result;
  const old =
    untilOldGoneMs === undefined ? "" : `, its old orders gone after ${untilOldGoneMs} ms`;
  return (
    `${isFine(result) ? "ok  " : "FAIL"} ${trouble} ${index + 1} (${variant}): ${open} open, exit ${exitCode}, ${left} left, ` +
    `none after ${untilNoneMs ?? "?"} ms${old}${problems.map((problem) => `; ${problem}`).join("")}`
  );
}

/** Markdown: one row for each trouble and variant. */
export function troubleTable(results: readonly TroubleResult[]): string {
  const rows = new Map<string, TroubleResult[]>();
  for (const result of results) {
    const title = `${result.trouble} | ${result.variant}`;
    rows.set(title, [...(rows.get(title) ?? []), result]);
  }
  const span = (values: readonly (number | undefined)[]): string => {
    const known = values.filter((value) => value !== undefined).sort((left, right) => left - right);
    if (known.length === 0) return "–";
    const middle = known[Math.floor(known.length / 2)];
    return `${middle} (${known.at(-1)})`;
  };
  const lines = [...rows]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([title, cases]) => {
      const codes = [...new Set(cases.map(({ exitCode }) => exitCode))].join(", ");
      const open = span(cases.map((result) => result.open));
      const left = cases.reduce((total, result) => total + result.left, 0);
      const fine = cases.filter(isFine).length;
      const none = span(cases.map(({ untilNoneMs }) => untilNoneMs));
      const old = span(cases.map(({ untilOldGoneMs }) => untilOldGoneMs));
      return `| ${title} | ${fine} of ${cases.length} | ${open} | ${codes} | ${left} | ${none} | ${old} |\n`;
    });
  return `| trouble | variant | as documented | orders open: median (most) | exit codes | orders left | none left after, ms: median (longest) | old orders gone after, ms |\n|---|---|---|---|---|---|---|---|\n${lines.join("")}`;
}
