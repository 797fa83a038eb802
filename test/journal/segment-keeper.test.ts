import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import {
  type JournalKeep,
  type RemovedSegments,
  SegmentKeeper,
} from "../../src/journal/segment-keeper.ts";
import {
  entriesOfRun,
  listRuns,
  listSegments,
  readSegment,
  segmentName,
} from "../../src/journal/segments.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, place } from "./journal-fixture.ts";
import { MemoryFiles } from "./memory-files.ts";

const DAY_MS = 86_400_000;

interface Kept {
  readonly store: MemoryStore;
  readonly files: MemoryFiles;
  readonly keeper: SegmentKeeper;
  readonly removed: RemovedSegments[];
  readonly failures: unknown[];
}

function keeperOf(store: MemoryStore, keep: JournalKeep = {}, nowMs = 0): Kept {
  const files = new MemoryFiles(store);
  const removed: RemovedSegments[] = [];
  const failures: unknown[] = [];
  const keeper = new SegmentKeeper({
    folder: "j",
    files,
    clock: { nowMs: () => unixMs(nowMs), monotonicUs: () => 0 },
    keep,
    compress: (bytes) => Promise.resolve(zstdCompressSync(bytes)),
    onRemoved: (segments) => removed.push(segments),
    onFailure: (error) => failures.push(error),
  });
  return { store, files, keeper, removed, failures };
}

/** A run whose segments hold ten batches each; one order is placed in each batch. */
async function record(
  store: MemoryStore,
  runId: string,
  { segments, onSegmentsDone }: { segments: number; onSegmentsDone?: (current: number) => void },
): Promise<Journal> {
  const { restored } = restore(store, "j");
  const journal = new Journal({
    store,
    folder: "j",
    header: headerOf(runId),
    restored,
    segmentBytes: 1,
    ...(onSegmentsDone === undefined ? {} : { onSegmentsDone }),
  });
  for (let at = 0; at < segments * 10; at += 1) {
    const intent = at + 1;
    const txHash = `0x${intent.toString(16).padStart(64, "0")}` as OrderId;
    journal.append({
      batch: { seq: intent, nowMs: unixMs(intent), inputs: [] },
      effects: [place(intent)],
      signed: [{ intent, txHash, bytesHex: `0x${"5a".repeat(200)}` }],
      ended: [txHash],
      booked: [],
    });
    if (intent % 10 !== 0 || intent === segments * 10) continue;
    // A segment follows once the disk has confirmed what it was asked for.
    await journal.sync();
    journal.maintain();
  }
  await journal.sync();
  return journal;
}

function contentOf(store: MemoryStore): readonly (readonly [string, readonly Entry[]])[] {
  return listRuns(store, "j").map((run) => [run.header.runId, [...entriesOfRun(store, run)]]);
}

function namesOf(store: MemoryStore): readonly string[] {
  return store.list("j");
}

/** Number of the newest segment. */
function newest(store: MemoryStore): number {
  return listSegments(store, "j").at(-1)?.number ?? 0;
}

async function tidied({ keeper }: Kept, current: number): Promise<void> {
  keeper.tidy(current);
  await keeper.running;
}

describe("compression of a journal", () => {
  it("leaves every entry readable, in files a fraction of the size", async () => {
    const store = new MemoryStore();
    await (await record(store, "one", { segments: 3 })).close();
    await record(store, "two", { segments: 2 });
    const before = contentOf(store);
    const restored = restore(store, "j");
    const plain = store.read("j/000002.journal")?.length ?? 0;
    const kept = keeperOf(store);
    await tidied(kept, 5);
    expect(namesOf(store)).toEqual([
      "000001.journal.zst",
      "000002.journal.zst",
      "000003.journal.zst",
      "000004.journal.zst",
      "000005.journal",
    ]);
    expect(contentOf(store)).toEqual(before);
    expect(restore(store, "j")).toEqual(restored);
    expect(store.read("j/000002.journal.zst")?.length).toBeLessThan(plain / 3);
    expect(kept.failures).toEqual([]);
  });

  it("follows a running journal, segment by segment", async () => {
    const store = new MemoryStore();
    const kept = keeperOf(store);
    await record(store, "one", {
      segments: 4,
      onSegmentsDone: (current) => kept.keeper.tidy(current),
    });
    await kept.keeper.running;
    expect(namesOf(store)).toEqual([
      "000001.journal.zst",
      "000002.journal.zst",
      "000003.journal.zst",
      "000004.journal",
    ]);
  });

  it("waits until the start of the next segment is durable", async () => {
    const store = new MemoryStore();
    await (await record(store, "one", { segments: 2 })).close();
    const done: number[] = [];
    store.isStuck = true;
    const { restored } = restore(store, "j");
    const header = headerOf("two");
    const onSegmentsDone = (current: number): void => void done.push(current);
    const journal = new Journal({ store, folder: "j", header, restored, onSegmentsDone });
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(done).toEqual([]);
    store.isStuck = false;
    await journal.sync();
    await Promise.resolve();
    expect(done).toEqual([3]);
    store.powerCut();
    expect(readSegment(store, segmentName("j", 3)).head?.header.runId).toBe("two");
  });

  it("loses nothing when the process is killed, or the power is cut, at any step", async () => {
    let steps = 0;
    for (let isOver = false; !isOver; steps += 1) {
      for (const isPowerCut of [false, true]) {
        const store = new MemoryStore();
        await (await record(store, "one", { segments: 2 })).close();
        await record(store, "two", { segments: 1 });
        const before = contentOf(store);
        const restored = restore(store, "j");
        const kept = keeperOf(store);
        kept.files.stepsLeft = steps;
        kept.keeper.tidy(newest(store));
        await Promise.race([kept.keeper.running, kept.files.killed]);
        isOver = kept.keeper.running === undefined;
        if (isPowerCut) store.powerCut(0.5);
        else store.killed();
        expect(contentOf(store), `killed at step ${steps}`).toEqual(before);
        expect(restore(store, "j")).toEqual(restored);

        // The next run completes the work.
        await record(store, "three", { segments: 1 });
        const again = keeperOf(store);
        await tidied(again, newest(store));
        expect(namesOf(store)).toEqual([
          "000001.journal.zst",
          "000002.journal.zst",
          "000003.journal.zst",
          "000004.journal",
        ]);
        expect(contentOf(store).slice(0, -1)).toEqual(before);
      }
    }
    expect(steps).toBeGreaterThan(10);
  });

  it("is readable at every step of a running bot's work", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 3 });
    const before = contentOf(store);
    const kept = keeperOf(store);
    let reads = 0;
    kept.files.onStep = () => {
      reads += 1;
      expect(contentOf(store)).toEqual(before);
    };
    await tidied(kept, newest(store));
    expect(reads).toBeGreaterThan(10);
    expect(kept.failures).toEqual([]);
  });

  it("does not stop a reader that listed the segments before they were compressed", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 3 });
    const [run] = listRuns(store, "j");
    const before = contentOf(store);
    await tidied(keeperOf(store), newest(store));
    expect(run === undefined ? [] : [...entriesOfRun(store, run)]).toEqual(before[0]?.[1]);
  });

  it("refuses a compressed segment that is damaged", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 2 });
    await tidied(keeperOf(store), newest(store));
    const bytes = store.read("j/000001.journal.zst") ?? new Uint8Array();
    const file = store.openAppend("j/000001.journal.zst", { truncateTo: 0 });
    file.append(bytes.subarray(0, bytes.length - 20));
    expect(() => listRuns(store, "j")).toThrowError(
      expect.objectContaining({ code: "JOURNAL_DAMAGED" }),
    );
  });

  it("is tried again after a failure, which is reported", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 2 });
    const kept = keeperOf(store);
    store.roomBytes = 10;
    await tidied(kept, newest(store));
    expect(kept.failures).toHaveLength(1);
    expect(store.read("j/000001.journal")).toBeDefined();
    store.roomBytes = Number.POSITIVE_INFINITY;
    await tidied(kept, newest(store));
    expect(namesOf(store)).toEqual(["000001.journal.zst", "000002.journal"]);
  });
});

describe("journal.keep", () => {
  it("deletes nothing without a limit", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 5 });
    const kept = keeperOf(store, {}, 1000 * DAY_MS);
    await tidied(kept, newest(store));
    expect(listSegments(store, "j")).toHaveLength(5);
    expect(kept.removed).toEqual([]);
  });

  it("deletes segments that are older than the days, and says which", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 5 });
    const kept = keeperOf(store, { days: 3 }, 10 * DAY_MS);
    const ages = [9, 8, 2, 1, 0];
    for (const [at, days] of ages.entries()) {
      kept.files.modifiedMs.set(`j/00000${at + 1}.journal`, (10 - days) * DAY_MS);
    }
    await tidied(kept, newest(store));
    expect(listSegments(store, "j").map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(kept.removed).toEqual([
      { names: ["000001.journal", "000002.journal"], bytes: expect.any(Number), limit: "days" },
    ]);
  });

  it("deletes the oldest segments beyond the size", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 5 });
    await tidied(keeperOf(store), newest(store));
    const sizes = namesOf(store).map((name) => store.read(`j/${name}`)?.length ?? 0);
    const size = sizes.slice(2).reduce((sum, bytes) => sum + bytes, 0);
    const kept = keeperOf(store, { size });
    await tidied(kept, newest(store));
    expect(listSegments(store, "j").map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(kept.removed).toMatchObject([{ limit: "size" }]);
  });

  it("never deletes what a restart needs: the current segment and the one before it", async () => {
    const store = new MemoryStore();
    await (await record(store, "one", { segments: 4 })).close();
    await record(store, "two", { segments: 1 });
    const restored = restore(store, "j");
    const kept = keeperOf(store, { days: 1, size: 1 }, 1000 * DAY_MS);
    await tidied(kept, newest(store));
    expect(namesOf(store)).toEqual(["000004.journal.zst", "000005.journal"]);
    expect(restore(store, "j")).toEqual(restored);
    // Its start was durable before another one was compressed, so no power cut takes it.
    store.openAppend("j/000005.journal", { truncateTo: 3 });
    expect(() => restore(store, "j")).toThrow("they are missing");
  });

  it("deletes what a killed process left to delete", async () => {
    let steps = 0;
    for (let isOver = false; !isOver; steps += 1) {
      const store = new MemoryStore();
      await record(store, "one", { segments: 4 });
      const restored = restore(store, "j");
      const kept = keeperOf(store, { size: 1 });
      kept.files.stepsLeft = steps;
      kept.keeper.tidy(newest(store));
      await Promise.race([kept.keeper.running, kept.files.killed]);
      isOver = kept.keeper.running === undefined;
      store.killed();
      expect(restore(store, "j"), `killed at step ${steps}`).toEqual(restored);
      expect(listRuns(store, "j")).toHaveLength(1);
      await tidied(keeperOf(store, { size: 1 }), newest(store));
      expect(namesOf(store)).toEqual(["000003.journal.zst", "000004.journal"]);
    }
    expect(steps).toBeGreaterThan(10);
  });

  it("touches no file after it was stopped", async () => {
    const store = new MemoryStore();
    await record(store, "one", { segments: 4 });
    const kept = keeperOf(store, { size: 1 });
    kept.keeper.tidy(newest(store));
    await kept.keeper.stop();
    expect(namesOf(store)).toHaveLength(4);
    expect(kept.keeper.running).toBeUndefined();
  });
});
