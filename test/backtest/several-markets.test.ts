import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { recordedSteps } from "../../src/backtest/recorded-step.ts";
import { ReplayDetails } from "../../src/backtest/replay-details.ts";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { runReplay } from "../../src/backtest/run-replay.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { comparedRun } from "../../src/parity/compared-run.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { mergeRecordings } from "../../src/recordings/merge.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { venueModels } from "../../src/simulated/venue-models.ts";
import { JobRunner } from "../../src/sweep/run-job.ts";
import { recordingChecksum } from "../../src/sweep/recording-checksum.ts";
import { recordedRun } from "../parity/recorded-at.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { keccak256 } from "./hand-made.ts";

/** One strategy with two markets. Both play the one recorded market of the sample: the second is synthetic. */

const root = path.resolve(import.meta.dirname, "../..");
const file = path.join(root, "test/data/two-markets.yaml");
const folder = path.join(root, "config/recordings/zilusdt");
const names = new Map([["ZIL_TUSD", "ZILUSDT"]]);
const config = await loadBotConfig(file);
const recording = new Recording(io, folder);

async function run(details?: ReplayDetails, played = recording, markets = names) {
  const { result } = await runReplay({
    config,
    details,
    recording: played,
    keccak256,
    clock: systemClock,
    pause: async () => undefined,
    names: markets,
  });
  return result;
}

test("a replay has its figures in each market and over both, the same every time", async () => {
  const details = new ReplayDetails();
  const result = await run(details);
  expect(result.strategies?.map(({ name }) => name)).toEqual(["pair", "pair/hedge"]);
  const [main, hedge] = result.strategies ?? [];
  expect(main?.fills).toBeGreaterThan(10);
  expect(hedge?.fills).toBeGreaterThan(5);
  expect(main?.pnl).not.toBeNull();
  const [net] = result.nets ?? [];
  const held = fixed(main?.inventory["ZIL"] ?? "0") + fixed(hedge?.inventory["ZIL"] ?? "0");
  expect(fixed(net?.exposure[0]?.position ?? "")).toBe(held);
  expect(net?.exposure[0]?.baseSeconds).toBeGreaterThan(0);
  expect(net?.hedges.count).toBeGreaterThan(5);
  expect(net?.hedges.delayMs?.p50).toBeGreaterThan(0);
  expect(net?.hedges.slippageBps).not.toBeNull();
  expect(Number(net?.pnl)).toBeCloseTo(Number(result.totals?.pnl.total), 6);
  const { equity, fills } = details.tables;
  expect(new Set(equity.map((row) => `${row.strategy} ${row.market}`))).toEqual(
    new Set(["pair ZIL_USDT", "pair ZIL_TUSD"]),
  );
  expect(fills.filter(({ market }) => market === "ZIL_TUSD")).toHaveLength(hedge?.fills ?? 0);
  expect((await run()).decisionsHash).toBe(result.decisionsHash);
});

test("two recordings of one market each are merged and replayed together, each at its own times", async () => {
  const home = temporaryFolder();
  const [main, hedge] = ["ZIL_USDT", "ZIL_TUSD"].map((name, at) => {
    const part = path.join(home, name);
    const writer = new RecordingWriter(io, part);
    const [market] = recording.manifest.markets;
    if (market === undefined) throw new Error("the sample has a market");
    const id = name as MarketId;
    writer.writeManifest({ ...recording.manifest, markets: [{ ...market, marketId: id }] });
    const laterMs = at * 1_500;
    for (const event of recording.events()) {
      writer.append({
        ...event,
        marketId: id,
        atUs: event.atUs + laterMs * 1_000,
        timeMs: unixMs(event.timeMs + laterMs),
      });
    }
    writer.close();
    return new Recording(io, part);
  });
  if (main === undefined || hedge === undefined) throw new Error("two recordings");
  const out = path.join(home, "both");
  runAll(mergeRecordings(io, [main, hedge], { out }));
  const together = await run(undefined, new Recording(io, out), new Map());
  expect(together.strategies?.map(({ name }) => name)).toEqual(["pair", "pair/hedge"]);
  for (const part of together.strategies ?? []) expect(part.fills).toBeGreaterThan(5);
  expect(together.nets?.[0]?.hedges.count).toBeGreaterThan(5);
  expect(together.decisionsHash).not.toBe((await run()).decisionsHash);
  await expect(run(undefined, hedge, new Map())).rejects.toThrow(
    "The recording has no market ZIL_USDT; it holds ZIL_TUSD",
  );
});

test("a sweep replays it with other parameters", async () => {
  const runner = new JobRunner({
    io,
    keccak256,
    clock: systemClock,
    env: {},
    pause: async () => undefined,
  });
  const { reason, result } = await runner.run({
    id: "1",
    bot: { file, text: readFileSync(file, "utf8") },
    overrides: ["strategies.pair.params.spread=0.03%"],
    recording: { folder, checksum: recordingChecksum(io, folder) },
    markets: Object.fromEntries(names),
    toMs: Date.parse("2021-04-05T18:34:00Z"),
  });
  expect(reason).toBeNull();
  expect(result).toMatchObject({ strategies: [{ name: "pair" }, { name: "pair/hedge" }] });
});

test.each(["recorded", "strategy"] as const)(
  "parity with decisions %s has its fills in both markets",
  (decisions) => {
    const plain = replaySetup(config, recording, names);
    const latency = constantDelays({ entry: 0, response: 0, feed: 0 });
    const models = venueModels({ ...plain.models.settings, latency }, "recording");
    const setup = { ...plain, models };
    const { header, batches, strategies } = recordedRun(setup, [
      ...recordedSteps(recording, setup.markets),
    ]);
    const { report } = runAll(
      comparedRun({
        header,
        entries: batches.map((entry) => ({ type: "batch", entry })),
        strategies,
        decisions,
        fills: [defaultFills],
        latencies: ["0ms"],
        windowMs: 500,
        keccak256,
      }),
    );
    expect(report.live.fills).toBeGreaterThan(15);
    expect(report.best?.score).toBeGreaterThan(0.9);
    expect(new Set(report.orderRows.map(({ market }) => market))).toEqual(
      new Set(["ZIL_USDT", "ZIL_TUSD"]),
    );
  },
);

test("the example of the docs is the one that is tested here", () => {
  const example = readFileSync(path.join(root, "test/data/two-markets.ts"), "utf8");
  expect(readFileSync(path.join(root, "docs/write-a-strategy.md"), "utf8")).toContain(example);
});
