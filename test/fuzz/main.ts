import { parseArgs } from "node:util";
import { fuzz, targets } from "./all-targets.ts";
import type { FuzzReport } from "./target.ts";

const help = `Feeds every endpoint, command context and decoder with spoiled inputs and compares with strict checkers of their own.

  npm run fuzz                              1,000,000 inputs
  npm run fuzz -- --inputs 50000 --seed 7   fewer, others
  npm run fuzz -- --target contexts         targets whose name has this in it, or one of several words with commas between
  npm run fuzz -- --json                    one JSON line a target, and one for all

Exit code 1 when something crashed, held the loop for more than 20 ms, was accepted though invalid, refused though valid, or changed by a refusal.
`;

/** The longest that one input may hold the event loop. */
const STALL_MS = 20;

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    target: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const words = values.target.split(",");
const isChosen = ({ name }: { readonly name: string }): boolean =>
  words.some((word) => name.includes(word));
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
if (values.help) {
  process.stdout.write(help);
} else if (!Number.isSafeInteger(inputs) || inputs < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write("fuzz: --inputs and --seed are whole numbers\n");
  process.exitCode = 2;
} else if (!targets.some(isChosen)) {
  process.stderr.write(
    `fuzz: no such target, there are ${targets.map(({ name }) => name).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  const started = performance.now();
  const reports = await fuzz(inputs, seed, tell, isChosen, STALL_MS);
  const count = (of: (report: FuzzReport) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0);
  const failures = (kind: string): number =>
    reports.filter(({ failure }) => failure?.kind === kind).length;
  const summary = {
    event: "fuzzed",
    inputs: count((report) => report.inputs),
    taken: count(({ taken }) => taken),
    refused: count(({ refused }) => refused),
    crashes: failures("crash"),
    stalls: failures("stall"),
    slowestMs: Math.max(...reports.map(({ slowest }) => slowest.heldMs)),
    acceptedInvalid: failures("accepted-invalid"),
    refusedValid: failures("refused-valid"),
    stateChanged: failures("state-changed"),
    wrongResponses: failures("wrong-answer"),
    seed,
    wallMs: Math.round(performance.now() - started),
  };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(summary)}\n`
      : `${summary.inputs} inputs, ${summary.taken} taken, ${summary.refused} refused, ${summary.crashes} crashes, ${summary.stalls} stalls (slowest input ${summary.slowestMs.toFixed(1)} ms), ${summary.acceptedInvalid} accepted though invalid, ${summary.refusedValid} refused though valid, ${summary.stateChanged} changed by a refusal, ${summary.wrongResponses} wrong answers; seed ${seed}, ${(summary.wallMs / 1000).toFixed(1)} s\n`,
  );
  if (reports.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
}

function tell(report: FuzzReport): void {
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ event: "fuzz", ...report })}\n`);
    return;
  }
  const { target, failure, taken, refused, slowest } = report;
  process.stdout.write(
    `${target}: ${report.inputs} inputs, ${taken} taken, ${refused} refused, slowest ${slowest.heldMs.toFixed(1)} ms (by the wall ${slowest.wallMs.toFixed(1)} ms, ${slowest.garbageMs.toFixed(1)} ms of it collecting garbage)\n`,
  );
  if (failure === undefined) return;
  process.stdout.write(
    `  ${failure.kind}: ${failure.message}\n  input: ${failure.input}\n  again: seed ${failure.seed}, path ${failure.path}\n`,
  );
}
