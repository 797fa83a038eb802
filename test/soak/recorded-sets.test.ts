import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { recordedSteps } from "../../src/backtest/recorded-step.ts";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { recordingInfo } from "../../src/recordings/info.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { marketMaker, quoteSize } from "../backtest/market-maker.ts";
import { withSleepingGrid } from "../backtest/sleeping-grid.ts";
import { steppedReplay, withoutQueues } from "../backtest/stepped-ways.ts";
import { filesOf, hasShared, io, type SharedSet, sets } from "../recordings/shared-sets.ts";

const TIMES = 20;
const root = path.resolve(import.meta.dirname, "../..");
const script = path.join(import.meta.dirname, "replay-results.ts");
/** Path of another Node; without it only this one replays. */
const secondNode = process.env["SOAK_SECOND_NODE"];
const nodes = [process.execPath, ...(secondNode === undefined ? [] : [secondNode])];
const folder = mkdtempSync(path.join(tmpdir(), "touchline-sets-"));
const run = promisify(execFile);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function imported(set: SharedSet, name: string): string {
  const out = path.join(folder, name);
  importRecording(io, { format: set.format, files: filesOf(set), out });
  return out;
}

async function expectEqualResults(recording: string): Promise<void> {
  const lines: string[] = [];
  for (const node of nodes) {
    const { stdout } = await run(node, [
      "--conditions=touchline-source",
      script,
      recording,
      String(TIMES),
    ]);
    lines.push(...stdout.trim().split("\n"));
  }
  const different = new Set(lines);
  process.stdout.write(
    `${lines.length} replays, ${nodes.length} Node versions: ${[...different].join("\n")}\n`,
  );
  expect(lines).toHaveLength(TIMES * nodes.length);
  expect(different.size).toBe(1);
}

test("all replays of the repository's recording have equal results, whatever the process and the Node version", async () => {
  await expectEqualResults(path.join(root, "config/recordings/zilusdt"));
});

describe.skipIf(!hasShared)("the recorded sets", () => {
  test("all replays of set 01 have equal results, whatever the process and the Node version", async () => {
    await expectEqualResults(imported(sets[0], "01"));
  });

  test.each(sets)(
    "steps only when something is due lead to the result of a step for every event: $name",
    async (set) => {
      const recording = new Recording(io, imported(set, set.name));
      let replays = 0;
      for (const { market, symbol, trades } of runAll(recordingInfo(recording))) {
        if (trades === 0) continue;
        const bot = await marketMaker(market, symbol);
        for (const config of [bot, withSleepingGrid(bot, quoteSize(symbol))]) {
          const setup = replaySetup(config, recording);
          const [every, due] = [false, true].map((absorbs) =>
            steppedReplay(setup, recordedSteps(recording, setup.markets), absorbs),
          );
          const results = [due, every].map((one) => one && withoutQueues(one.result));
          expect(results[0], market).toEqual(results[1]);
          replays += 1;
          process.stdout.write(
            `${set.name} ${market} ${config === bot ? "pure-market-making" : "grid"}: ${due?.result.fills} fills, ${every?.kernelSteps} and ${due?.kernelSteps} steps\n`,
          );
        }
      }
      expect(replays).toBeGreaterThan(0);
    },
  );
});
