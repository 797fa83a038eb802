import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Touchline, touchline } from "../support/touchline-process.ts";

const root = path.resolve(import.meta.dirname, "../..");
const recording = path.join(root, "config/recordings/zilusdt");

/** Enough that a sweep can be ended on its way, and that the search learns from earlier batches. */
const RUNS = 10;
let folder = "";
let file = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-sweep-"));
  file = path.join(folder, "sweep.yaml");
  const bot = JSON.stringify(path.join(root, "test/data/replay-bot.yaml"));
  writeFileSync(
    file,
    `config: ${bot}
recordings: [${JSON.stringify(recording)}]
parameters:
  strategies.zil-maker.params.bidSpread:
    { from: 0.02%, to: 0.2%, scale: log, also: [strategies.zil-maker.params.askSpread] }
  strategies.zil-maker.params.levels: [-1, 1, 2, 3]
search: bayesian
runs: ${RUNS}
batch: 3
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const started: Touchline[] = [];
afterEach(() => {
  for (const process of started.splice(0)) process.kill("SIGKILL");
});

function start(...args: readonly string[]): Touchline {
  const process = new Touchline(["sweep", file, ...args]);
  started.push(process);
  return process;
}

const out = (name: string): string => path.join(folder, name);
const read = (name: string, result: string): string =>
  readFileSync(path.join(out(name), result), "utf8");
const jobs = (name: string): number => {
  try {
    return read(name, "jobs.ndjson").split("\n").length - 1;
  } catch {
    return 0;
  }
};

test("one worker, and two of a sweep that was ended on its way, give the same files", async () => {
  const one = await touchline(["sweep", file, "--out", out("one"), "--workers", "1"]);
  expect(one.code).toBe(0);

  const interrupted = start("--out", out("ended"), "--workers", "1");
  await expect.poll(() => jobs("ended"), { interval: 5 }).toBeGreaterThan(0);
  // So that it does not end by itself.
  interrupted.kill("SIGSTOP");
  // Nobody else may write to its folder.
  const second = await touchline(["sweep", file, "--out", out("ended")]);
  expect(second.lines).toMatchObject([{ event: "error", code: "SWEEP_RUNNING" }]);
  interrupted.kill("SIGINT");
  interrupted.kill("SIGCONT");
  expect(await interrupted.exit).toBe(130);
  expect(interrupted.stderr).toMatch(
    /\d+ of 10 replays are done\. What has ended is in .*ended\. Run the same command again to go on\./,
  );
  const left = RUNS - jobs("ended");
  expect(left).toBeGreaterThan(0);
  const resumed = await touchline(["sweep", file, "--out", out("ended"), "--workers", "2"]);
  expect(resumed.code).toBe(0);
  expect(resumed.lines.at(-1)).toMatchObject({
    event: "sweep",
    replays: RUNS,
    reused: RUNS - left,
  });

  for (const result of ["results.csv", "results.json"]) {
    expect(read("ended", result)).toBe(read("one", result));
  }
  const runs = one.lines.filter(({ event }) => event === "sweep.run");
  expect(runs).toHaveLength(RUNS);
  expect(runs.some(({ reason }) => String(reason).includes("levels"))).toBe(true);
  expect(one.lines.at(-1)).toMatchObject({
    event: "sweep",
    objective: "pnl",
    best: [{ window: null, values: [expect.any(String), expect.any(Number)] }],
    reused: 0,
  });
});

test("a mistake in the sweep is exit 2 with its place, and nothing is written", async () => {
  const wrong = path.join(folder, "wrong.yaml");
  writeFileSync(wrong, readFileSync(file, "utf8").replace("bidSpread:", "bidSpred:"));
  const { code, stderr } = await touchline(["sweep", wrong, "--out", out("wrong")]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `${wrong}:4:3: parameters.strategies.zil-maker.params.bidSpred: no value of it fits the config`,
  );
  expect(jobs("wrong")).toBe(0);
});

test("a recording that does not exist is one sentence", async () => {
  const { code, lines } = await touchline([
    "sweep",
    file,
    "--set",
    "recordings=[nowhere]",
    "--out",
    out("none"),
  ]);
  expect(code).toBe(2);
  expect(lines).toMatchObject([{ event: "error", code: "RECORDING_MISSING" }]);
});

test("check knows a sweep and its mistakes", async () => {
  const valid = await touchline(["check", file]);
  expect([valid.code, valid.lines]).toEqual([
    0,
    [
      {
        event: "check",
        config: file,
        kind: "sweep",
        parameters: ["strategies.zil-maker.params.bidSpread", "strategies.zil-maker.params.levels"],
        warnings: [],
      },
    ],
  ]);
  // A paper venue has the key `markets`, too.
  const withMarkets = await touchline(["check", "config/sweep.yaml"]);
  expect([withMarkets.code, withMarkets.lines]).toMatchObject([0, [{ kind: "sweep" }]]);
  const invalid = await touchline(["check", file, "--set", "runs=0"]);
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toContain("--set runs: runs: is too small");
});

test("--open replays one run again, with its report", async () => {
  const args = ["sweep", file, "--out", out("one"), "--workers", "1"];
  const opened = await touchline([...args, "--open", "2"]);
  expect(opened.code).toBe(0);
  const run = opened.lines.filter(({ event }) => event === "sweep.run")[1];
  const result = JSON.parse(read("one", "run-2/result.json"));
  const measures = run?.["measures"] as { pnl: string; fills: number };
  expect([result.pnl.total, result.fills]).toEqual([measures.pnl, measures.fills]);
  expect(read("one", "run-2/report.html")).toContain("<html");
  expect((await touchline([...args, "--open", "99"])).code).toBe(2);
});
