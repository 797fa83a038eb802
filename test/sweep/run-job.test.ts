import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { SweepJob } from "../../src/sweep/job.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { recordingChecksum } from "../../src/sweep/recording-checksum.ts";
import { JobRunner } from "../../src/sweep/run-job.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const folder = path.join(root, "config/recordings/zilusdt");
const file = path.join(root, "test/data/replay-bot.yaml");
const crypto = await loadCrypto();
const runner = new JobRunner({
  io,
  keccak256: (bytes) => crypto.keccak256(bytes),
  clock: systemClock,
  env: {},
  pause: async () => undefined,
});

const run = (more: Partial<SweepJob> = {}) =>
  runner.run({
    id: "1",
    bot: { file, text: readFileSync(file, "utf8") },
    overrides: [],
    recording: { folder, checksum: recordingChecksum(io, folder) },
    markets: {},
    toMs: Date.parse("2021-04-05T18:34:00Z"),
    ...more,
  });

test("a job's report is the result line of its replay, with the overrides applied", async () => {
  const plain = await run();
  expect(plain).toMatchObject({
    reason: null,
    warnings: [],
    result: { seed: 7, decisionsHash: expect.stringMatching(/^0x/), sharpe: null },
  });
  const seeded = await run({ overrides: ["strategies.zil-maker.seed=8"] });
  expect(seeded.result).toMatchObject({ seed: 8 });
  const modelled = await run({ overrides: ['models.latency.entry="500ms"'] });
  expect(modelled.reason).toBeNull();
  expect(modelled.result?.["decisionsHash"]).not.toBe(plain.result?.["decisionsHash"]);
});

test("a job plays its span only", async () => {
  const fromMs = Date.parse("2021-04-05T18:33:40Z");
  const { result } = await run({ fromMs });
  const whole = await run();
  expect(result?.durationMs).toBeLessThanOrEqual(21_000);
  expect(whole.result?.durationMs).toBeGreaterThan(30_000);
});

test("what is wrong with a job is its reason, in one line", async () => {
  const invalid = await run({ overrides: ["strategies.0.params.levels=0", "fees.maker=2"] });
  expect(invalid).toEqual({
    result: null,
    reason: expect.stringMatching(/^[^\n]*levels[^\n]*; [^\n]*fees\.maker[^\n]*$/),
    warnings: [],
  });
  const unknown = await run({ overrides: ["strategies.0.market=1_2"] });
  expect(unknown.reason).toContain("The recording has no market 1_2");
  const empty = await run({ fromMs: Date.parse("2022-01-01T00:00:00Z"), toMs: undefined });
  expect(empty.reason).toContain("nothing to play");
});

test("a recording with another checksum is refused", async () => {
  const other = new JobRunner({
    io,
    keccak256: (bytes) => crypto.keccak256(bytes),
    clock: systemClock,
    env: {},
    pause: async () => undefined,
  });
  const bot = { file, text: readFileSync(file, "utf8") };
  const recording = { folder, checksum: "another" };
  const { reason } = await other.run({ id: "1", bot, overrides: [], recording, markets: {} });
  expect(reason).toBe(`${folder} is not the recording of the sweep.`);
});

test("a job replays candles, and a parameter that needs a book is its reason", async () => {
  const source = temporaryFolder();
  const bars = Array.from({ length: 60 }, (_, minute) => {
    const [open, close] = minute % 2 === 0 ? [0.1, 0.101] : [0.101, 0.1];
    return `${minute * 60_000},${open},0.103,0.098,${close},500000\n`;
  });
  const file = path.join(source, "binance-zilusdt-minute-20240808_trade.csv");
  writeFileSync(file, bars.join(""));
  const candles = path.join(source, "recording");
  importRecording(io, { format: "lean", files: [file], out: candles });
  const job = {
    recording: { folder: candles, checksum: recordingChecksum(io, candles) },
    toMs: Date.parse("2024-08-08T00:50:00Z"),
  };
  const [large, small] = [
    await run({ ...job, overrides: ["models.candles.volumeShare=10%"] }),
    await run({ ...job, overrides: ["models.candles.volumeShare=0.01%"] }),
  ];
  expect([large.reason, small.reason]).toEqual([null, null]);
  expect(large.result?.fills).toBeGreaterThan(0);
  expect(Number(large.result?.volumeQuote)).toBeGreaterThan(Number(small.result?.volumeQuote));
  const book = await run({ ...job, overrides: ["models.fills.queue=power"] });
  expect(book).toMatchObject({ result: null, reason: expect.stringContaining("needs a book") });
});
