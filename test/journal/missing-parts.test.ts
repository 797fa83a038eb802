import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import {
  entriesOfRun,
  listRuns,
  newestRun,
  readSegment,
  segmentName,
} from "../../src/journal/segments.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, overwrite, recordRun } from "./journal-fixture.ts";

/** Journals that lack a part of a run, as a broken copy or a damaged disk leaves them. */

function compressInPlace(store: MemoryStore, number: number): Uint8Array {
  const plain = `j/00000${number}.journal`;
  const bytes = zstdCompressSync(store.read(plain) ?? new Uint8Array(), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
  overwrite(store, `${plain}.zst`, bytes);
  store.remove(plain);
  return bytes;
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

test("a power cut after the restart of a killed run leaves no hole in the journal", () => {
  const store = new MemoryStore();
  const journal = () =>
    new Journal({
      store,
      folder: "j",
      header: headerOf("one"),
      restored: restore(store, "j").restored,
    });
  const batch = { seq: 1, nowMs: unixMs(1), inputs: [] };
  journal().append({ batch, effects: [], signed: [], ended: [], booked: [] });
  store.killed();
  void journal().sync();
  store.powerCut();
  expect(listRuns(store, "j")).toHaveLength(1);
});

describe("a journal whose newest segment is missing", () => {
  it("begins no run with the positions and nonces of the segment before it", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 1);
    recordRun(store, "two", 1);
    compressInPlace(store, 1);
    expect(() => restore(store, "j")).not.toThrow();
    store.remove("j/000002.journal");
    expect(() => restore(store, "j")).toThrow(damagedError);
    expect(outcome(store)).not.toBe("JOURNAL_DAMAGED");
  });

  it("is noticed when the newest one was emptied, too", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 1);
    recordRun(store, "two", 1);
    compressInPlace(store, 1);
    overwrite(store, "j/000002.journal", new Uint8Array());
    expect(() => restore(store, "j")).toThrow(damagedError);
  });
});

describe("a compressed segment that is damaged", () => {
  it("is an error when a byte is flipped anywhere", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 3);
    const before = contentOf(store);
    const bytes = compressInPlace(store, 1);
    const bad: string[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      for (const mask of [0x01, 0x04, 0x20, 0xff]) {
        const copy = bytes.slice();
        copy[at] = (copy[at] ?? 0) ^ mask;
        overwrite(store, "j/000001.journal.zst", copy);
        const now = outcome(store);
        if (now === "JOURNAL_DAMAGED") continue;
        if (JSON.stringify(now) !== JSON.stringify(before)) bad.push(`byte ${at} mask ${mask}`);
      }
    }
    expect(bad).toEqual([]);
  });

  it("is an error when it is cut off anywhere", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 3);
    const bytes = compressInPlace(store, 1);
    const silent: number[] = [];
    for (let length = 0; length < bytes.length; length += 1) {
      overwrite(store, "j/000001.journal.zst", bytes.subarray(0, length));
      if (outcome(store) !== "JOURNAL_DAMAGED") silent.push(length);
    }
    expect(silent).toEqual([]);
  });
});

describe("segments in disorder", () => {
  it("refuses a run with a segment missing in its middle", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 4);
    store.remove("j/000002.journal");
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses two segments whose files were swapped", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 4);
    const third = (store.read("j/000003.journal") ?? new Uint8Array()).slice();
    const fourth = (store.read("j/000004.journal") ?? new Uint8Array()).slice();
    overwrite(store, "j/000003.journal", fourth);
    overwrite(store, "j/000004.journal", third);
    expect(() => restore(store, "j")).toThrow(damagedError);
  });

  it("refuses a plain segment in the middle that was emptied", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 4);
    overwrite(store, "j/000002.journal", new Uint8Array());
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses a plain segment in the middle whose end is missing", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 4);
    const bytes = store.read("j/000002.journal") ?? new Uint8Array();
    overwrite(store, "j/000002.journal", bytes.slice(0, bytes.length - 700));
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses an old segment whose last entries are missing, also when it ends with a whole entry", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 4);
    const path = "j/000002.journal";
    const bytes = store.read(path) ?? new Uint8Array();
    const { frames } = readSegment(store, segmentName("j", 2));
    overwrite(store, path, bytes.slice(0, frames.at(-1)?.offset));
    expect(() => contentOf(store)).toThrow(damagedError);
  });

  it("refuses the newest run as it refuses the list of all runs", () => {
    const damages: readonly ((store: MemoryStore) => void)[] = [
      (store) => store.remove("j/000003.journal"),
      (store) => overwrite(store, "j/000003.journal", new Uint8Array()),
      (store) =>
        overwrite(
          store,
          "j/000003.journal",
          (store.read("j/000003.journal") ?? new Uint8Array()).slice(0, 2_500),
        ),
    ];
    for (const damage of damages) {
      const store = new MemoryStore();
      recordRun(store, "one", 1);
      recordRun(store, "two", 4);
      expect(newestRun(store, "j")?.segments).toHaveLength(4);
      damage(store);
      expect(() => newestRun(store, "j")).toThrow(damagedError);
    }
  });

  it("reads a journal whose oldest segments were deleted, before or while it is read", () => {
    const store = new MemoryStore();
    recordRun(store, "one", 2);
    recordRun(store, "two", 3);
    store.remove("j/000001.journal");
    store.remove("j/000002.journal");
    store.remove("j/000003.journal");
    expect(listRuns(store, "j")).toMatchObject([{ segments: [{ number: 4 }, { number: 5 }] }]);
    class DeletingStore extends MemoryStore {
      override read(file: string): Uint8Array | undefined {
        if (file === "j/000002.journal") {
          this.remove("j/000001.journal");
          this.remove(file);
        }
        return super.read(file);
      }
    }
    const running = new DeletingStore();
    recordRun(running, "one", 4);
    expect(listRuns(running, "j")).toMatchObject([{ segments: [{ number: 3 }, { number: 4 }] }]);
  });
});
