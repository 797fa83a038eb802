import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { checkpointOf, checkRecording } from "../../src/recordings/check.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Expected checkpoints of set 04, ZILUSDT. */
const expected = [
  {
    n: 1,
    firstId: 499822893,
    finalId: 499822903,
    time: 1617647603872,
    bestBid: ["0.21436", "5897.8"],
    bestAsk: ["0.21449", "8600"],
    bidLevels: 1002,
    askLevels: 1001,
    top20: "34867852fc4b6f1d45082ee166eda517",
    top100: "a6b586866f09e85ade5923bab6606ecb",
    full: "caa58cb0d57e28d0d4fda6dd94d74980",
  },
  {
    n: 100,
    firstId: 499823433,
    finalId: 499823443,
    time: 1617647614977,
    bestBid: ["0.21452", "3842.3"],
    bestAsk: ["0.21456", "165.2"],
    bidLevels: 995,
    askLevels: 997,
    top20: "16153de2a7712ca4115cda784d931e73",
    top100: "d8d30c4a2d1e87d5c6d37a02c73876d2",
    full: "12dea1a5991adba8038c158c1bfcabfa",
  },
] as const;

const sample = resolve(import.meta.dirname, "../data/cryptofeed-zilusdt.txt.gz");
const demo = resolve(import.meta.dirname, "../../config/recordings/zilusdt");

describe("the sample in the repository", () => {
  const folder = temporaryFolder();

  test("yields the known checkpoints, at the end and with `at`", () => {
    const out = `${folder}/sample`;
    const summary = importRecording(io, { format: "cryptofeed", files: [sample], out });
    const rules = { tick: "0.00001", lot: "0.1", source: "inferred", fitsVenueGrid: true };
    expect(summary.markets).toEqual([
      { marketId: "ZIL_USDT", symbol: "ZILUSDT", grid: "native", rules },
    ]);
    const recording = new Recording(io, out);
    for (const { n, ...book } of expected) {
      const [line] = checkRecording(io, recording, { at: n });
      expect(line).toMatchObject({
        event: "recording.check",
        market: "ZIL_USDT",
        symbol: "ZILUSDT",
        ...book,
        depthEvents: 120,
        applied: 116,
        gaps: 0,
        duplicates: 0,
        crossed: 0,
      });
    }
    const [beyond] = checkRecording(io, recording, { at: 117 });
    expect(beyond).toMatchObject({ applied: 116, finalId: null, bestBid: null, full: null });
  });

  test("replays as a book followed by continuous depth with increasing times", () => {
    const recording = new Recording(io, `${folder}/sample`);
    let lastId: number | undefined;
    let atMs = 0;
    const kinds = new Map<string, number>();
    for (const step of recording.syncedEvents("ZIL_USDT")) {
      expect(step.atMs).toBeGreaterThanOrEqual(atMs);
      atMs = step.atMs;
      kinds.set(step.type, (kinds.get(step.type) ?? 0) + 1);
      if (step.type === "book") lastId = step.snapshot.lastId;
      if (step.type !== "depth") continue;
      expect(lastId).toBeDefined();
      expect(step.event.firstId).toBeLessThanOrEqual((lastId ?? 0) + 1);
      expect(step.event.finalId).toBeGreaterThan(lastId ?? 0);
      lastId = step.event.finalId;
    }
    expect(kinds.get("book")).toBe(1);
    expect(kinds.get("depth")).toBe(116);
  });

  test("leaves out unselected symbols and uses custom names", () => {
    const names = new Map([["ZILUSDT", "ZIL_TETHER"]]);
    const out = `${folder}/named`;
    const { markets } = importRecording(io, { format: "cryptofeed", files: [sample], out, names });
    expect(markets[0]?.marketId).toBe("ZIL_TETHER");
    const recording = new Recording(io, out);
    expect(recording.market("ZIL_TETHER")).toBe(recording.market("ZILUSDT"));
    expect(recording.market("ZIL_USDT")).toBeUndefined();
    const none = { format: "cryptofeed", files: [sample], symbols: new Set(["BTCUSDT"]) };
    expect(() => importRecording(io, { ...none, out: `${folder}/none` })).toThrow(
      /have no rows of the wanted markets/,
    );
  });
});

test("the demo's recording is complete and has no defects", () => {
  const lines = checkRecording(io, new Recording(io, demo));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    symbol: "ZILUSDT",
    depthEvents: 982,
    levelChanges: 3948,
    trades: 331,
    applied: 978,
    gaps: 0,
    tradeGaps: 0,
    crossed: 0,
    locked: 0,
    full: "937d03b7f5cdeea3e6c8e26155d8dc18",
  });
});

test("a checkpoint without a book has only null fields", () => {
  const checkpoint = checkpointOf(undefined, undefined, io.compression);
  expect(new Set(Object.values(checkpoint))).toEqual(new Set([null]));
});

test("events that are missing are one gap, and repeated ones change nothing", () => {
  const folder = temporaryFolder();
  const whole = new Recording(io, demo);
  const events = [...whole.events()];
  const depth = events.filter((event) => event.type === "depth");
  const some = new Set<unknown>(depth.slice(500, 505));
  const check = (name: string, changed: typeof events) => {
    const writer = new RecordingWriter(io, `${folder}/${name}`);
    for (const event of changed) writer.append(event);
    writer.close();
    writer.writeManifest(whole.manifest);
    return checkRecording(io, new Recording(io, `${folder}/${name}`))[0];
  };
  const lacking = events.filter((event) => !some.has(event));
  expect(check("gap", lacking)).toMatchObject({ gaps: 1, duplicates: 0, applied: 978 - 5 });
  const at = depth[520]?.atUs ?? 0;
  const repeated = events.flatMap((event) =>
    event === depth[520]
      ? [event, ...depth.slice(500, 505).map((one) => ({ ...one, atUs: at }))]
      : [event],
  );
  const [all] = checkRecording(io, whole);
  expect(check("twice", repeated)).toMatchObject({ duplicates: 5, applied: 978, full: all?.full });
});
