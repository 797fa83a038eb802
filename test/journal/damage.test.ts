import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Address, OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { listRuns, listSegments, readSegment, segmentName } from "../../src/journal/segments.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, place } from "./journal-fixture.ts";

/** Damage that a power cut can leave in a journal, and damage that it cannot. */

const PAGE = 4096;

function idOf(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

function open(store: MemoryStore, runId: string): Journal {
  const { restored } = restore(store, "j");
  return new Journal({ store, folder: "j", header: headerOf(runId), restored });
}

/** Appends batches numbered `from` to `to`; each places an order and is a few hundred bytes long. */
function fill(journal: Journal, from: number, to: number): void {
  for (let seq = from; seq <= to; seq += 1) {
    journal.append({
      batch: { seq, nowMs: unixMs(seq), inputs: [] },
      effects: [place(seq)],
      signed: [
        {
          intent: seq,
          txHash: idOf(seq),
          bytesHex: "ab".repeat(100),
        },
      ],
      ended: [idOf(seq)],
      booked: [],
    });
    journal.maintain();
  }
}

function zero(store: MemoryStore, path: string, at: number): void {
  const bytes = store.read(path) ?? new Uint8Array();
  bytes.fill(0, at, at + PAGE);
  store.openAppend(path, { truncateTo: 0 }).append(bytes);
}

const damagedError = expect.objectContaining({
  code: "JOURNAL_DAMAGED",
  hint: expect.stringContaining("copy of the folder"),
});

describe("a page of a journal that reads as zeros", () => {
  it("ends the journal when nothing says that the page was durable", async () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    fill(journal, 1, 50);
    await journal.sync();
    fill(journal, 51, 100);
    const { length } = store.read("j/000001.journal") ?? [];
    zero(store, "j/000001.journal", 5 * PAGE);
    const { end, later } = readSegment(store, segmentName("j", 1));
    expect(later.length).toBeGreaterThan(0);
    const { isDamaged, restored } = restore(store, "j");
    expect(isDamaged).toBe(true);
    expect(restored.nonceHighWater).toBeLessThan(1_700_000_000_100);

    const next = open(store, "two");
    const path = `j/000001.journal.damaged-${end}`;
    expect(next.setAside).toEqual([{ segment: "000001.journal", offset: end, path }]);
    expect(store.read(path)).toHaveLength((length ?? 0) - end);
    expect(store.read("j/000001.journal")).toHaveLength(end);
    expect(listSegments(store, "j").map(({ number }) => number)).toEqual([1, 2]);
    expect(listRuns(store, "j").map(({ header }) => header.runId)).toEqual(["one", "two"]);
    expect(restore(store, "j").isDamaged).toBe(false);
    expect(open(store, "three").setAside).toEqual([]);
  });

  it("is damage when a later entry says that the page was durable", async () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    for (let part = 0; part < 12; part += 1) {
      fill(journal, part * 100 + 1, part * 100 + 100);
      await journal.sync();
    }
    zero(store, "j/000001.journal", 5 * PAGE);
    expect(() => restore(store, "j")).toThrowError(damagedError);
    expect(() => open(store, "two")).toThrowError(
      /was durable when the entry at byte \d+ was written/,
    );
  });

  it("is damage in a segment that is not the newest, which a start does not read", () => {
    const store = new MemoryStore();
    fill(open(store, "one"), 1, 60);
    fill(open(store, "two"), 1, 10);
    zero(store, "j/000001.journal", 2 * PAGE);
    expect(() => listRuns(store, "j")).toThrowError(damagedError);
    expect(restore(store, "j")).toMatchObject({ header: { runId: "two" }, isDamaged: false });
    expect(open(store, "three").setAside).toEqual([]);
  });

  it("makes a segment empty when it is its first page", () => {
    const store = new MemoryStore();
    fill(open(store, "one"), 1, 10);
    fill(open(store, "two"), 1, 60);
    zero(store, "j/000002.journal", 0);
    expect(restore(store, "j")).toMatchObject({ header: { runId: "one" }, isDamaged: true });
    const next = open(store, "three");
    expect(next.setAside).toMatchObject([{ segment: "000002.journal", offset: 0 }]);
    expect(listRuns(store, "j").map(({ header }) => header.runId)).toEqual(["one", "three"]);
  });
});

describe("a journal's end", () => {
  it("tells when its newest entry was written, and whether orders may follow it, until the run is closed", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const lastEntry = () => restore(store, "j").restored.lastEntry;
    const time = { type: "venueTime", offsetMs: 40, roundTripMs: 8 } as const;
    const batch = { seq: 1, nowMs: unixMs(1), inputs: [time] };
    journal.append({ batch, effects: [], signed: [], ended: [], booked: [] });
    expect(lastEntry()).toEqual({ nowMs: 1, offsetMs: 40, isOpen: false });
    // Another key goes on.
    journal.signedBy(`0x${"b".repeat(40)}` as Address);
    fill(journal, 2, 3);
    expect(lastEntry()).toEqual({ nowMs: 3, offsetMs: 40, isOpen: true });
    expect(journal.ledger.restored().lastEntry).toEqual(lastEntry());
    void journal.close();
    expect(lastEntry()).toEqual({ nowMs: 3, offsetMs: 40, isOpen: false });
  });
});

it("a damaged older segment does not make anybody leave the journal, since a start needs only the newest", async () => {
  const store = new MemoryStore();
  for (const runId of ["one", "two"]) {
    const journal = open(store, runId);
    fill(journal, 1, 50);
    await journal.close();
  }
  const { path } = segmentName("j", 1);
  const compressed = zstdCompressSync(store.read(path) ?? new Uint8Array());
  store.remove(path);
  const half = compressed.subarray(0, compressed.length / 2);
  store.openAppend(`${path}.zst`).append(half);
  expect(() => listRuns(store, "j")).toThrow(
    expect.objectContaining({
      code: "JOURNAL_DAMAGED",
      message: expect.stringContaining("000001.journal.zst cannot be decompressed"),
      hint: expect.stringMatching(/the bot still starts: leave the folder as it is/),
    }),
  );
  expect(restore(store, "j").header).toMatchObject({ runId: "two" });
});

it("refuses a small compressed segment that would fill the memory, in one sentence", () => {
  const store = new MemoryStore();
  const bomb = zstdCompressSync(new Uint8Array(40_000_000));
  expect(bomb.length).toBeLessThan(40_000);
  store.openAppend("j/000001.journal.zst").append(bomb);
  const [name] = listSegments(store, "j");
  expect(() => name && readSegment(store, name)).toThrow(
    "Journal segment 000001.journal.zst cannot be decompressed: it would be longer than 33 MB.",
  );
});
