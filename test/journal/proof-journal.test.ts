import { mkdtempSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { zstdCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { MarketId, OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { adjustJournal } from "../../src/journal/adjust.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { SegmentKeeper } from "../../src/journal/segment-keeper.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { backgroundFiles } from "../../src/platform/background-files.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, place } from "./journal-fixture.ts";
import { MemoryFiles } from "./memory-files.ts";

function idOf(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

/** A run of `segments` segments with ten batches each. */
function record(store: MemoryStore, runId: string, segments: number): void {
  const { restored } = restore(store, "j");
  const header = headerOf(runId);
  const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 1 });
  for (let seq = 1; seq <= segments * 10; seq += 1) {
    journal.append({
      batch: { seq, nowMs: unixMs(seq), inputs: [] },
      effects: [place(seq)],
      signed: [{ intent: seq, txHash: idOf(seq), bytesHex: `0x${"5a".repeat(200)}` }],
      ended: [idOf(seq)],
    });
    if (seq % 10 === 0 && seq < segments * 10) journal.maintain();
  }
  journal.close();
}

function compressInPlace(store: MemoryStore, number: number): Uint8Array {
  const plain = `j/00000${number}.journal`;
  const bytes = zstdCompressSync(store.read(plain) ?? new Uint8Array(), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
  write(store, `${plain}.zst`, bytes);
  store.remove(plain);
  return bytes;
}

function write(store: MemoryStore, file: string, bytes: Uint8Array): void {
  const out = store.openAppend(file, { truncateTo: 0 });
  if (bytes.length > 0) out.append(bytes);
  out.close();
}

const contentOf = (store: MemoryStore) =>
  listRuns(store, "j").map((run) => [run.header.runId, [...entriesOfRun(store, run)]]);

const damagedError = expect.objectContaining({ code: "JOURNAL_DAMAGED" });

/** What a reader of the journal says: its content, or the code of its error. */
function outcome(store: MemoryStore): unknown {
  try {
    return contentOf(store);
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
  }
}

describe("journal.keep on a disk that is full", () => {
  it("deletes the oldest segments although compressing fails, since only that frees space", async () => {
    const store = new MemoryStore();
    record(store, "one", 6);
    class FullDisk extends MemoryFiles {
      override write(): Promise<void> {
        return Promise.reject(new Error("ENOSPC: no space left on device"));
      }
    }
    const removed: string[] = [];
    const keeper = new SegmentKeeper({
      folder: "j",
      files: new FullDisk(store),
      clock: { nowMs: () => unixMs(0), monotonicUs: () => 0 },
      keep: { size: 1 },
      compress: (bytes) => Promise.resolve(zstdCompressSync(bytes)),
      onRemoved: ({ names }) => removed.push(...names),
      onFailure: () => undefined,
    });
    keeper.tidy(6);
    await keeper.running;
    expect(removed).toContain("000001.journal");
  });

  it("goes on beside one segment that cannot be read", async () => {
    const store = new MemoryStore();
    record(store, "one", 6);
    class OneUnreadable extends MemoryFiles {
      override read(file: string): Promise<Uint8Array | undefined> {
        if (file === "j/000001.journal") return Promise.reject(new Error("EACCES"));
        return super.read(file);
      }
    }
    const keeper = new SegmentKeeper({
      folder: "j",
      files: new OneUnreadable(store),
      clock: { nowMs: () => unixMs(0), monotonicUs: () => 0 },
      keep: {},
      compress: (bytes) => Promise.resolve(zstdCompressSync(bytes)),
      onRemoved: () => undefined,
      onFailure: () => undefined,
    });
    keeper.tidy(6);
    await keeper.running;
    expect(store.list("j")).toContain("000005.journal.zst");
  });

  it("leaves no part of a compressed segment behind after a failed write, since it takes the journal's last space", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-proof-"));
    try {
      // A folder in the place of the target makes the last step fail.
      mkdirSync(path.join(folder, "000001.journal.zst"));
      await expect(
        backgroundFiles.write(path.join(folder, "000001.journal.zst"), new Uint8Array(4096), 1),
      ).rejects.toThrow();
      expect(readdirSync(folder)).toEqual(["000001.journal.zst"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a compressed segment that is damaged", () => {
  it("is an error when a byte is flipped anywhere", () => {
    const store = new MemoryStore();
    record(store, "one", 3);
    const before = contentOf(store);
    const bytes = compressInPlace(store, 1);
    const bad: string[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      for (const mask of [0x01, 0x04, 0x20, 0xff]) {
        const copy = bytes.slice();
        copy[at] = (copy[at] ?? 0) ^ mask;
        write(store, "j/000001.journal.zst", copy);
        const now = outcome(store);
        if (now === "JOURNAL_DAMAGED") continue;
        if (JSON.stringify(now) !== JSON.stringify(before)) bad.push(`byte ${at} mask ${mask}`);
      }
    }
    expect(bad).toEqual([]);
  });

  it("is an error when it is cut off anywhere", () => {
    const store = new MemoryStore();
    record(store, "one", 3);
    const bytes = compressInPlace(store, 1);
    const silent: number[] = [];
    for (let length = 0; length < bytes.length; length += 1) {
      write(store, "j/000001.journal.zst", bytes.subarray(0, length));
      if (outcome(store) !== "JOURNAL_DAMAGED") silent.push(length);
    }
    expect(silent).toEqual([]);
  });
});

describe("segments in disorder", () => {
  it("refuses a run with a segment missing in its middle", () => {
    const store = new MemoryStore();
    record(store, "one", 4);
    store.remove("j/000002.journal");
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses two segments whose files were swapped", () => {
    const store = new MemoryStore();
    record(store, "one", 4);
    const third = (store.read("j/000003.journal") ?? new Uint8Array()).slice();
    const fourth = (store.read("j/000004.journal") ?? new Uint8Array()).slice();
    write(store, "j/000003.journal", fourth);
    write(store, "j/000004.journal", third);
    expect(() => restore(store, "j")).toThrow(damagedError);
  });

  it("refuses a plain segment in the middle that was emptied", () => {
    const store = new MemoryStore();
    record(store, "one", 4);
    write(store, "j/000002.journal", new Uint8Array());
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses a plain segment in the middle whose end is missing", () => {
    const store = new MemoryStore();
    record(store, "one", 4);
    const bytes = store.read("j/000002.journal") ?? new Uint8Array();
    write(store, "j/000002.journal", bytes.slice(0, bytes.length - 700));
    expect(() => contentOf(store)).toThrow(damagedError);
  });
});

describe("a position that a person set", () => {
  it("is not forgotten without an error when its record is damaged", async () => {
    const store = new MemoryStore();
    record(store, "one", 1);
    const position = { ...flatPosition("maker", "1_2" as MarketId), base: "5" };
    await adjustJournal(store, "j", [position], unixMs(50));
    expect(restore(store, "j").restored.carried).toMatchObject([{ base: "5" }]);
    const bytes = (store.read("j/000001.journal") ?? new Uint8Array()).slice();
    bytes[bytes.length - 10] = (bytes[bytes.length - 10] ?? 0) ^ 0xff;
    write(store, "j/000001.journal", bytes);
    const after = (() => {
      try {
        return restore(store, "j").restored.carried ?? "forgotten";
      } catch (thrown) {
        return thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
      }
    })();
    expect(after).toBe("JOURNAL_DAMAGED");
  });
});

describe("journal.keep by age", () => {
  it("is not held up by one segment that was written while the clock was ahead", async () => {
    const store = new MemoryStore();
    record(store, "one", 6);
    const files = new MemoryFiles(store);
    const dayMs = 86_400_000;
    for (let number = 1; number <= 6; number += 1) {
      files.modifiedMs.set(`j/00000${number}.journal`, number * dayMs);
    }
    // The first segment says that it was written in ten years.
    files.modifiedMs.set("j/000001.journal", 3650 * dayMs);
    const removed: string[] = [];
    const keeper = new SegmentKeeper({
      folder: "j",
      files,
      clock: { nowMs: () => unixMs(1000 * dayMs), monotonicUs: () => 0 },
      keep: { days: 30 },
      compress: (bytes) => Promise.resolve(zstdCompressSync(bytes)),
      onRemoved: ({ names }) => removed.push(...names),
      onFailure: () => undefined,
    });
    keeper.tidy(6);
    await keeper.running;
    expect(removed).toContain("000003.journal");
  });
});

describe("a journal whose next segment cannot be opened", () => {
  class RefusingStore extends MemoryStore {
    override openAppend(...given: Parameters<MemoryStore["openAppend"]>) {
      if (given[0].includes("000002")) throw new Error("ENOSPC: no space left on device");
      return super.openAppend(...given);
    }
  }

  /** A run whose second segment cannot be opened; the first stays writable. */
  function failing(store: MemoryStore): Journal {
    const { restored } = restore(store, "j");
    const header = headerOf("one");
    const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 1 });
    const { batch, ...rest } = {
      batch: {
        seq: 1,
        nowMs: unixMs(1),
        inputs: [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 } as const],
      },
      effects: [place(1)],
      signed: [{ intent: 1, txHash: idOf(1), bytesHex: `0x${"5a".repeat(200)}` }],
      ended: [],
    };
    journal.append({ batch, ...rest });
    expect(() => journal.maintain()).toThrow();
    return journal;
  }

  it("is not closed as a run that ended cleanly", () => {
    const store = new RefusingStore();
    failing(store).close();
    expect(restore(store, "j").restored.lastEntry).toBeDefined();
  });

  it("keeps its highest nonce when the run crashes afterwards", () => {
    const store = new RefusingStore();
    const journal = failing(store);
    const { nonceHighWater } = restore(store, "j").restored;
    for (const more of [10, 20]) {
      try {
        journal.crash({
          message: "a bug",
          nowMs: unixMs(2),
          nonceHighWater: nonceHighWater + more,
          signed: [],
        });
      } catch {
        // A journal that refuses is as good.
      }
    }
    journal.close();
    const after = restore(store, "j").restored.nonceHighWater;
    expect([nonceHighWater, nonceHighWater + 20]).toContain(after);
  });
});
