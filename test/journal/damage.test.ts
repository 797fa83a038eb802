import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Address, OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { OrderLedger } from "../../src/journal/order-ledger.ts";
import { restore } from "../../src/journal/restore.ts";
import { listRuns, listSegments, readSegment, segmentName } from "../../src/journal/segments.ts";
import type { Input } from "../../src/kernel/input.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, market, place, report } from "./journal-fixture.ts";

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
    const { damagedMs, restored } = restore(store, "j");
    expect(damagedMs).toBe(100);
    expect(restored.nonceHighWater).toBeLessThan(1_700_000_000_100);

    const next = open(store, "two");
    const path = `j/000001.journal.damaged-${end}`;
    expect(next.setAside).toEqual([{ segment: "000001.journal", offset: end, path }]);
    expect(store.read(path)).toHaveLength((length ?? 0) - end);
    expect(store.read("j/000001.journal")).toHaveLength(end);
    expect(listSegments(store, "j").map(({ number }) => number)).toEqual([1, 2]);
    expect(listRuns(store, "j").map(({ header }) => header.runId)).toEqual(["one", "two"]);
    expect(restore(store, "j").damagedMs).toBeUndefined();
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
    expect(restore(store, "j")).toMatchObject({ header: { runId: "two" }, damagedMs: undefined });
    expect(open(store, "three").setAside).toEqual([]);
  });

  it("makes a segment empty when it is its first page", () => {
    const store = new MemoryStore();
    fill(open(store, "one"), 1, 10);
    fill(open(store, "two"), 1, 60);
    zero(store, "j/000002.journal", 0);
    expect(restore(store, "j")).toMatchObject({ header: { runId: "one" }, damagedMs: 60 });
    const next = open(store, "three");
    expect(next.setAside).toMatchObject([{ segment: "000002.journal", offset: 0 }]);
    expect(listRuns(store, "j").map(({ header }) => header.runId)).toEqual(["one", "three"]);
  });
});

describe("a journal's end", () => {
  const at = { lastEntry: { nowMs: 3, offsetMs: 40, roundTripMs: 8 } };

  it("tells when its newest entry was written, once the run has placed an order", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const time = { type: "venueTime", offsetMs: 40, roundTripMs: 8 } as const;
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [time] },
      effects: [],
      signed: [],
      ended: [],
    });
    expect(restore(store, "j").restored).not.toHaveProperty("lastEntry");
    fill(journal, 2, 3);
    expect(restore(store, "j").restored).toMatchObject(at);
    expect(journal.ledger.restored()).toMatchObject(at);
  });

  it("tells it also when another key began to sign between the reading of the venue's clock and the first order", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const time = { type: "venueTime", offsetMs: 40, roundTripMs: 8 } as const;
    const batch = { seq: 1, nowMs: unixMs(1), inputs: [time] };
    journal.append({ batch, effects: [], signed: [], ended: [] });
    journal.signedBy(`0x${"b".repeat(40)}` as Address);
    expect(restore(store, "j").restored).not.toHaveProperty("lastEntry");
    fill(journal, 2, 3);
    expect(restore(store, "j").restored).toMatchObject(at);
  });

  it("is clean after `close`, and unclean after a kill", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const time = { type: "venueTime", offsetMs: 40, roundTripMs: 8 } as const;
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [time] },
      effects: [],
      signed: [],
      ended: [],
    });
    fill(journal, 2, 3);
    void journal.close();
    const { restored } = restore(store, "j");
    expect(restored).not.toHaveProperty("lastEntry");
    expect(restored.nonceHighWater).toBe(1_700_000_000_003);
  });

  it("keeps the open orders of others over runs that place nothing", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const inputs = [{ type: "openOrders", orders: [report(idOf(7), "NEW")] }] as const;
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs },
      effects: [],
      signed: [],
      ended: [],
    });
    expect(restore(store, "j").restored.foreignIds).toEqual([idOf(7)]);
    void open(store, "two").close();
    expect(restore(store, "j").restored.foreignIds).toEqual([idOf(7)]);
  });

  it("has the open orders of others that older versions kept with the newest entry", () => {
    const lastEntry = { nowMs: 3, offsetMs: 40, roundTripMs: 8, foreignIds: [idOf(7)] };
    const ledger = new OrderLedger({ nonceHighWater: 0, orders: [], lastEntry });
    expect(ledger.restored()).toMatchObject({ ...at, foreignIds: [idOf(7)] });
  });

  it("keeps earlier lost ends while the run has not read the venue's clock, whatever lists come", () => {
    const lostTails = [{ sinceMs: 100, untilMs: 200, marketIds: [market] }];
    const ledger = new OrderLedger({ nonceHighWater: 0, orders: [], lostTails, ...at });
    const apply = (...inputs: Input[]): void => {
      ledger.apply({
        batch: { seq: 1, nowMs: unixMs(500_000), inputs },
        effects: [],
        signed: [],
        ended: [],
      });
    };
    apply({ type: "openOrders", orders: [] });
    expect(ledger.restored()).toMatchObject({ lostTails });
    // The machine's clock was set ahead.
    apply({ type: "venueTime", offsetMs: -499_900, roundTripMs: 8 });
    apply({ type: "openOrders", orders: [] });
    expect(ledger.restored()).toHaveProperty("lostTails");
    apply({ type: "venueTime", offsetMs: 0, roundTripMs: 8 });
    apply({ type: "openOrders", orders: [] });
    expect(ledger.restored()).not.toHaveProperty("lostTails");
  });

  it("keeps earlier lost ends until a list of open orders has come long after them", () => {
    const store = new MemoryStore();
    const lostTails = [{ sinceMs: 100, untilMs: 200, marketIds: [market] }];
    const restored = { nonceHighWater: 0, orders: [], lostTails };
    const journal = new Journal({ store, folder: "j", header: headerOf("one"), restored });
    const append = (seq: number, nowMs: number): void => {
      const inputs = [
        { type: "venueTime", offsetMs: 0, roundTripMs: 8 },
        { type: "openOrders", orders: [] },
      ] as const;
      journal.append({
        batch: { seq, nowMs: unixMs(nowMs), inputs },
        effects: [],
        signed: [],
        ended: [],
      });
    };
    append(1, 300);
    expect(restore(store, "j").restored.lostTails).toEqual(lostTails);
    append(2, 61_000);
    expect(restore(store, "j").restored).not.toHaveProperty("lostTails");
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
