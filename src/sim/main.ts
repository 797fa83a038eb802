import fs from "node:fs";
import { parseArgs } from "node:util";
import { ProcessPool, processorCount } from "../platform/process-pool.ts";
import { faults } from "./faults.ts";
import { shrink } from "./shrink.ts";
import { simulationTools } from "./simulation-tools.ts";
import {
  addTotals,
  missedFaults,
  noTotals,
  readTotals,
  totalsLine,
  totalsOf,
  totalsText,
} from "./totals.ts";
import { repeatCommand, runWorld, type WorldOptions, type WorldReport } from "./world.ts";

const usage = `npm run sim -- [--seeds N] [--from S] [--jobs N] [--contingent] [--taking] [--until-failure] …
npm run sim -- --sum FILE…

Runs the whole bot against the whole paper venue in simulated worlds, one for each seed from S on. If a world breaks an invariant, prints
the violation, the smallest world that still breaks it, and the command that repeats that; exits with code 1. Fails as well when 1,000 or
more worlds leave a fault out.

  --seeds N          number of worlds (100)
  --from S           first seed (1)
  --jobs N           worlds at the same time, each in a process of its own (all cores)
  --contingent       use a strategy that places stop orders, take profits and stop losses at random
  --taking           use a strategy that takes at random, through its own quotes too
  --mixed            every fourth world as with --contingent, and every fourth as with --taking
  --until-failure    end after the first world that breaks an invariant
  --no-shrink        print failing worlds as they are
  --faults A,B       these faults instead of those that the seed picks, none: no fault
  --with A,B         these faults besides those that the seed picks
  --fault-seconds T  length of the faults in each world (60)
  --never-modify     move quotes by cancel and placement in every world
  --twice            run each world twice and compare the traces
  --log              print the bot's log of each world to stderr
  --sum FILE…        add up the totals in the saved output of earlier runs

Faults:
${wrapped(faults.map(({ name }) => name))}
`;

/** Names in lines of at most 120 characters. */
function wrapped(names: readonly string[]): string {
  let lines = "";
  let line = " ";
  for (const name of names) {
    if (line.length + name.length + 1 > 120) {
      lines += `${line}\n`;
      line = " ";
    }
    line += ` ${name}`;
  }
  return lines + line;
}

/** From this many worlds on, each fault has to occur. */
const MANY = 1_000;

const options = {
  seeds: { type: "string", default: "100" },
  from: { type: "string", default: "1" },
  jobs: { type: "string", default: String(processorCount()) },
  "fault-seconds": { type: "string", default: "60" },
  faults: { type: "string" },
  with: { type: "string" },
  "never-modify": { type: "boolean", default: false },
  contingent: { type: "boolean", default: false },
  taking: { type: "boolean", default: false },
  mixed: { type: "boolean", default: false },
  twice: { type: "boolean", default: false },
  "until-failure": { type: "boolean", default: false },
  "no-shrink": { type: "boolean", default: false },
  log: { type: "boolean", default: false },
  sum: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const faultNames = faults.map(({ name }) => name);
const print = (text: string): boolean => process.stdout.write(text);

function readArguments() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const named = values.faults?.split(",").filter((name) => name !== "none");
  const besides = values.with?.split(",") ?? [];
  const base: Omit<WorldOptions, "seed"> = {
    faultsMs: Number(values["fault-seconds"]) * 1000,
    faults: named,
    besides,
    neverModify: values["never-modify"],
    contingent: values.contingent,
    taking: values.taking,
    twice: values.twice,
    log: values.log,
  };
  const numbers = {
    count: Number(values.seeds),
    from: Number(values.from),
    jobs: Math.max(1, Number(values.jobs)),
  };
  const areValid =
    Object.values(numbers).every(Number.isSafeInteger) &&
    base.faultsMs >= 0 &&
    [...(named ?? []), ...besides].every((name) => faultNames.includes(name));
  const worldOf = (seed: number): WorldOptions => ({
    ...base,
    seed,
    contingent: base.contingent || (values.mixed && seed % 4 === 0),
    taking: base.taking || (values.mixed && seed % 4 === 2),
  });
  return { values, positionals, numbers, worldOf, areValid };
}

type Run = (world: WorldOptions) => Promise<WorldReport>;

/** How worlds are run; with one job in this process. */
async function runner(jobs: number): Promise<{ readonly run: Run; close(): void }> {
  if (jobs === 1) {
    const tools = await simulationTools();
    return { run: (world) => runWorld(world, tools), close: () => undefined };
  }
  const pool = new ProcessPool<WorldOptions, WorldReport>({
    module: new URL("world-worker.ts", import.meta.url),
    size: jobs,
    // A world makes much garbage that lives for a few of its events: with more room the collector runs half as often.
    flags: ["--max-semi-space-size=64"],
    // Only `world-worker.ts` sends messages.
    read: (message) => message as WorldReport,
  });
  return {
    run: (world) =>
      pool.run(world).catch((error: unknown) => {
        throw new Error(`The world of seed ${world.seed} failed`, { cause: error });
      }),
    close: () => pool.close(),
  };
}

async function printFailure(
  world: WorldOptions,
  report: WorldReport,
  run: Run | undefined,
): Promise<void> {
  print(`seed ${world.seed}: ${repeatCommand(world)}\n`);
  for (const violation of report.violations) print(`  ${violation}\n`);
  if (run === undefined) return;
  const shrunk = await shrink(world, report, run);
  print(`  smallest: ${repeatCommand(shrunk.options)}\n`);
  for (const violation of shrunk.report.violations) print(`    ${violation}\n`);
  for (const { name, fromMs, toMs } of shrunk.report.episodes) {
    const until = toMs === undefined ? "…" : (toMs / 1000).toFixed(3);
    print(`    ${(fromMs / 1000).toFixed(3)} to ${until} s: ${name}\n`);
  }
}

async function main(): Promise<number> {
  const { values, positionals, numbers, worldOf, areValid } = readArguments();
  if (values.help || !areValid || (positionals.length > 0 && !values.sum)) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  if (values.sum) {
    const sum = readTotals(positionals.map((file) => fs.readFileSync(file, "utf8")).join("\n"));
    print(totalsText(sum, faultNames));
    return sum.failed === 0 ? 0 : 1;
  }
  const { count, from } = numbers;
  const jobs = Math.min(numbers.jobs, count);
  const { run, close } = await runner(jobs);
  const startedMs = performance.now();
  let totals = noTotals;
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count && !(values["until-failure"] && totals.failed > 0)) {
      const world = worldOf(next);
      next += 1;
      const report = await run(world);
      totals = addTotals(totals, totalsOf(report));
      if (report.violations.length === 0) continue;
      await printFailure(world, report, values["no-shrink"] ? undefined : run);
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    close();
  }
  if (values["until-failure"] && totals.failed > 0) return 1;
  totals = { ...totals, wallMs: performance.now() - startedMs };
  print(`${totalsText(totals, faultNames)}${totalsLine(totals)}\n`);
  const hasMissed = count >= MANY && missedFaults(totals.reached, faultNames).length > 0;
  return totals.failed === 0 && !hasMissed ? 0 : 1;
}

process.exitCode = await main();
