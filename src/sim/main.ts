import { parseArgs } from "node:util";
import { loadPlugin } from "../config/load-plugin.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { createLog } from "../platform/log.ts";
import { contingentStrategy } from "./contingent-strategy.ts";
import { faults } from "./faults.ts";
import { simulate } from "./simulate.ts";

const usage = `npm run sim -- [--seeds N] [--from S] [--fault-seconds T] [--kinds N] [--never-modify] [--contingent] [--twice] [--until-failure] [--log]

Runs the whole bot against the whole paper venue in simulated worlds, one for each seed from S on.
If a world breaks an invariant, prints the violation and the command that repeats it, and exits with code 1.

  --seeds N          number of worlds (100)
  --from S           first seed (1)
  --fault-seconds T  length of the faults in each world (60)
  --kinds N          use only the first N kinds of faults, for a seed that was stored when there were only these
  --never-modify     move quotes by cancel and placement in every world
  --contingent       use a strategy that places stop orders, take profits and stop losses at random
  --until-failure    end after the first world that breaks an invariant
  --twice            run each world twice and compare the traces
  --log              print the bot's log of each world to stderr
`;

type Numbers = Readonly<Record<"count" | "from" | "faultSec" | "kinds", number>>;

function readArguments() {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "100" },
      from: { type: "string", default: "1" },
      "fault-seconds": { type: "string", default: "60" },
      kinds: { type: "string", default: String(faults.length) },
      "never-modify": { type: "boolean", default: false },
      contingent: { type: "boolean", default: false },
      twice: { type: "boolean", default: false },
      "until-failure": { type: "boolean", default: false },
      log: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const numbers: Numbers = {
    count: Number(values.seeds),
    from: Number(values.from),
    faultSec: Number(values["fault-seconds"]),
    kinds: Number(values.kinds),
  };
  return { values, numbers, areValid: Object.values(numbers).every(Number.isSafeInteger) };
}

/** The command that repeats one world. */
function repeatCommand(
  seed: number,
  values: ReturnType<typeof readArguments>["values"],
  { faultSec, kinds }: Numbers,
): string {
  const options =
    (values.contingent ? " --contingent" : "") +
    (values["never-modify"] ? " --never-modify" : "") +
    (kinds < faults.length ? ` --kinds ${kinds}` : "") +
    (faultSec === 60 ? "" : ` --fault-seconds ${faultSec}`);
  return `npm run sim -- --from ${seed} --seeds 1${options}`;
}

async function main(): Promise<number> {
  const { values, numbers, areValid } = readArguments();
  if (values.help || !areValid) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const { count, from, faultSec, kinds } = numbers;
  const crypto = await loadCrypto();
  const loaded = await loadPlugin({ plugin: "pure-market-making", configFile: "bot.yaml" });
  if (!loaded.ok) throw new Error(loaded.error);

  const reached = new Map<string, number>();
  let failed = 0;
  let virtualMs = 0;
  const startedMs = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    const run = () =>
      simulate({
        seed,
        crypto,
        strategy: values.contingent ? contingentStrategy : loaded.value,
        faultsMs: faultSec * 1000,
        kinds: faults.slice(0, kinds),
        ...(values["never-modify"] ? { useModify: false } : {}),
        ...(values.log ? { log: createLog({ level: "debug" }) } : {}),
      });
    const result = await run();
    const violations = [...result.violations];
    if (values.twice && (await run()).traceHash !== result.traceHash) {
      violations.push("the second run of the same seed had another trace");
    }
    virtualMs += result.virtualMs;
    for (const [what, times] of result.reached) reached.set(what, (reached.get(what) ?? 0) + times);
    if (violations.length === 0) continue;
    failed += 1;
    process.stdout.write(`seed ${seed}: ${repeatCommand(seed, values, numbers)}\n`);
    for (const violation of violations) process.stdout.write(`  ${violation}\n`);
    if (values["until-failure"]) return 1;
  }
  const wallSec = (performance.now() - startedMs) / 1000;
  for (const [what, times] of [...reached].sort(([left], [right]) => (left < right ? -1 : 1))) {
    process.stdout.write(`${what.padEnd(32)} ${times}\n`);
  }
  const missed = faults.filter(({ name }) => !reached.has(`fault ${name}`));
  if (missed.length > 0) {
    process.stdout.write(`never occurred: ${missed.map(({ name }) => name).join(", ")}\n`);
  }
  process.stdout.write(
    `${count} worlds, ${failed} failed; ${Math.round(virtualMs / 1000)} virtual seconds in ${wallSec.toFixed(1)} s\n`,
  );
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
