import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { Touchline } from "../support/touchline-process.ts";

/** Strategies that do not return, in commands without a venue. */

const root = path.resolve(import.meta.dirname, "../..");
const recording = path.join(root, "config/recordings/zilusdt");
let folder = "";
let bot = "";
let strategy = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-blocked-"));
  strategy = path.join(folder, "loops.mjs");
  const pidFile = path.join(folder, "pids");
  // It takes no processor from other tests.
  const sleep = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)";
  writeFileSync(
    strategy,
    `import { appendFileSync } from "node:fs";
import { z } from "touchline";
appendFileSync(${JSON.stringify(pidFile)}, process.pid + "\\n");
export default { name: "loops", params: z.unknown(), init: () => ({}), decide() { console.error("called"); for (;;) ${sleep}; } };
`,
  );
  bot = path.join(folder, "bot.yaml");
  const yaml = readFileSync(path.join(root, "test/data/replay-bot.yaml"), "utf8");
  writeFileSync(bot, yaml.replace("pure-market-making", strategy));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[]): Touchline {
  const started = new Touchline(args);
  onTestFinished(() => started.kill("SIGKILL"));
  return started;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it("a replay of a strategy that loops ends at once on Ctrl-C", async () => {
  const replay = start(["replay", bot, "--data", recording]);
  await replay.said("called");
  replay.kill("SIGINT");
  // The launcher makes 130 of the signal.
  expect(await replay.exit).toBeNull();
  expect(replay.stderr).not.toContain("did not return");
});

it("a replay of a strategy that loops ends by itself and names the call", async () => {
  const replay = start(["replay", bot, "--data", recording]);
  expect(await replay.exit).toBe(1);
  expect(await replay.line("error")).toMatchObject({
    code: "STRATEGY_BLOCKED",
    message: expect.stringMatching(/decide did not return for 3 s at \S*loops\.mjs:4:\d+, so/),
  });
});

it("a sweep of a strategy that loops says so, and none of its processes outlives it", async () => {
  const sweep = (seeds: string, out: string) => {
    const file = path.join(folder, `${out}.yaml`);
    writeFileSync(
      file,
      `config: ${JSON.stringify(bot)}
recordings: [${JSON.stringify(recording)}]
parameters: { strategies.zil-maker.seed: ${seeds} }
`,
    );
    return ["sweep", file, "--workers", "2", "--out", path.join(folder, out)];
  };
  const whole = start(sweep("[1]", "whole"));
  expect(await whole.exit).toBe(1);
  const runs = whole.lines.filter(({ event }) => event === "sweep.run");
  expect(JSON.stringify(runs)).toContain("decide did not return for 3 s");

  const pids = (): readonly number[] =>
    readFileSync(path.join(folder, "pids"), "utf8").trim().split("\n").map(Number);
  const before = pids().length;
  const killed = start(sweep("[1, 2]", "killed"));
  await expect.poll(() => pids().length).toBeGreaterThan(before + 1);
  killed.kill("SIGKILL");
  await expect.poll(() => pids().filter(isAlive)).toEqual([]);
});
