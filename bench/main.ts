import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { allCases } from "./all-cases.ts";
import type { BenchCase } from "./bench-case.ts";
import { measure } from "./measure.ts";
import { reportOf, textOf, type CaseReport } from "./report.ts";

const help = `Measures Touchline beside what one would use instead, in the same run.

  npm run bench                     all cases
  npm run bench -- G1 G3            these
  npm run bench -- --json G1        one JSON line a case on stdout
  npm run bench -- --rounds 9       more rounds (default 5)

Exit code 1 when a side gave other outputs than the rest. A goal that is missed is told, and is no failure of the run.
`;

const { values, positionals } = readArguments();
const cases = await allCases();
const unknown = positionals.filter((goal) => !cases.some((one) => one.goal === goal));
if (values.help) {
  process.stdout.write(help);
} else if (unknown.length > 0) {
  const known = [...new Set(cases.map(({ goal }) => goal))].join(", ");
  process.stderr.write(`bench: no case ${unknown.join(", ")}; there are ${known}\n`);
  process.exitCode = 2;
} else {
  await runAll(cases.filter(({ goal }) => positionals.length === 0 || positionals.includes(goal)));
}

async function runAll(chosen: readonly BenchCase[]): Promise<void> {
  const cpu = cpus()[0]?.model ?? "unknown processor";
  if (!values.json) {
    process.stdout.write(
      `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${availableParallelism()} x ${cpu}\n\n`,
    );
  }
  for (const benchCase of chosen) {
    const report = await runCase(benchCase);
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${textOf(report)}\n`);
    if (!report.equal) process.exitCode = 1;
  }
}

async function runCase(benchCase: BenchCase): Promise<CaseReport> {
  process.stderr.write(`bench: ${benchCase.goal}, ${benchCase.title}\n`);
  const run = await benchCase.prepare();
  try {
    const times = await measure(run, { rounds: values.rounds, roundMs: 300, scale: 1 });
    return reportOf(benchCase, run, times);
  } finally {
    await run.close?.();
  }
}

function readArguments(): {
  values: { json: boolean; help: boolean; rounds: number };
  positionals: string[];
} {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false, short: "h" },
        rounds: { type: "string", default: "5" },
      },
    });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1) {
      throw new TypeError("--rounds takes a whole number of 1 or more");
    }
    return { values: { ...values, rounds }, positionals };
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}
