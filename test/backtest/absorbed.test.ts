import path from "node:path";
import { expect, test } from "vitest";
import { recordedSteps } from "../../src/backtest/recorded-step.ts";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { io } from "../recordings/shared-sets.ts";
import { withSleepingGrid } from "./sleeping-grid.ts";
import { steppedReplay, withoutQueues } from "./stepped-ways.ts";

const root = path.resolve(import.meta.dirname, "../..");
const recording = new Recording(io, path.join(root, "config/recordings/zilusdt"));

test("on the repository's recording, steps only when something is due lead to the decisions and the result of a step for every event", async () => {
  const bot = await loadBotConfig(path.join(root, "test/data/replay-bot.yaml"));
  const setup = replaySetup(withSleepingGrid(bot, "500"), recording);
  const run = (absorbs: boolean) =>
    steppedReplay(setup, recordedSteps(recording, setup.markets), absorbs);
  const [every, due] = [run(false), run(true)];
  expect(withoutQueues(due.result)).toEqual(withoutQueues(every.result));
  expect(due.result.fills).toBeGreaterThan(20);
  expect(due.kernelSteps).toBeLessThan(0.9 * every.kernelSteps);
});
