import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { SegmentKeeper } from "../../src/journal/segment-keeper.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { recordRun } from "./journal-fixture.ts";
import { MemoryFiles } from "./memory-files.ts";

describe("journal.keep on a disk that is full", () => {
  it("deletes the oldest segments although compressing fails, since only that frees space", async () => {
    const store = new MemoryStore();
    recordRun(store, "one", 6);
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
    recordRun(store, "one", 6);
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
});

describe("journal.keep by age", () => {
  it("is not held up by one segment that was written while the clock was ahead", async () => {
    const store = new MemoryStore();
    recordRun(store, "one", 6);
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
