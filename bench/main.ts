import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { errorText } from "../src/base/error-text.ts";
import { allCases } from "./all-cases.ts";
import type { BenchCase } from "./bench-case.ts";
import { measure } from "./measure.ts";
import { type CaseReport, processorName, reportOf, textOf } from "./report.ts";

const help = `Measures Touchline beside what one would use instead, in the same run.

  npm run bench                     all cases
  npm run bench -- G1 G3            these
  npm run bench -- --json G1        one JSON line a case on stdout
  npm run bench -- --rounds 9       more rounds (default 5)

Exit code 1 when a side gave other outputs than the rest. A goal that is missed is told, and is no failure of the run.
`;

interface Options {
  readonly json: boolean;
  readonly help: boolean;
  readonly rounds: number;
  /** Runs this one case in this process and prints its report as JSON. */
  readonly here: string | undefined;
  readonly goals: readonly string[];
}

const options = readArguments();
const cases = await allCases();
const unknown = options.goals.filter((goal) => !cases.some((one) => one.goal === goal));
if (options.help) {
  process.stdout.write(help);
} else if (unknown.length > 0) {
  const known = [...new Set(cases.map(({ goal }) => goal))].join(", ");
  fail(`no case ${unknown.join(", ")}; there are ${known}`);
} else if (options.here !== undefined) {
  const chosen = cases.find(({ title }) => title === options.here);
  if (chosen === undefined) fail(`no case with the title ${options.here}`);
  process.stdout.write(`${JSON.stringify(await runCase(chosen))}\n`);
} else {
  const { goals } = options;
  runAll(cases.filter(({ goal }) => goals.length === 0 || goals.includes(goal)));
}

/** Each case in a process of its own, so that none runs on code that another has warmed or spoilt. */
function runAll(chosen: readonly BenchCase[]): void {
  const machine = `${process.platform}-${process.arch}, ${processorName()}`;
  if (!options.json) process.stdout.write(`Node ${process.versions.node}, ${machine}\n\n`);
  for (const { goal, title } of chosen) {
    process.stderr.write(`bench: ${goal}, ${title}\n`);
    const args = [import.meta.filename, "--here", title, "--rounds", String(options.rounds)];
    const child = spawnSync(process.execPath, [...process.execArgv, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.status !== 0) {
      process.stderr.write(`bench: ${goal} did not come to an end\n`);
      process.exitCode = 1;
      continue;
    }
    const report = JSON.parse(child.stdout) as CaseReport;
    process.stdout.write(options.json ? child.stdout : `${textOf(report)}\n`);
    if (!report.equal) process.exitCode = 1;
  }
}

async function runCase(benchCase: BenchCase): Promise<CaseReport> {
  const run = await benchCase.prepare(1);
  try {
    const times = await measure(run, { rounds: options.rounds, roundMs: 300, scale: 1 });
    const report = reportOf(benchCase, run, times);
    // After the comparison: our side goes on alone.
    return { ...report, parts: (await run.parts?.()) ?? {} };
  } finally {
    await run.close?.();
  }
}

function readArguments(): Options {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false, short: "h" },
        rounds: { type: "string", default: "5" },
        here: { type: "string" },
      },
    });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number of 1 or more");
    const { json, help: wantsHelp, here } = values;
    return { json, help: wantsHelp, rounds, here, goals: positionals };
  } catch (error) {
    return fail(errorText(error));
  }
}

function fail(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}
