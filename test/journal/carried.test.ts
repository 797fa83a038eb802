import { describe, expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { adjustJournal } from "../../src/journal/adjust.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns, listSegments } from "../../src/journal/segments.ts";
import type { CarriedItem } from "../../src/kernel/input.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, market, place } from "./journal-fixture.ts";

function open(store: MemoryStore, runId: string): Journal {
  const { restored } = restore(store, "j");
  const sizes = { segmentBytes: 4_000, checkpointBytes: 900 };
  return new Journal({ store, folder: "j", header: headerOf(runId), restored, ...sizes });
}

function append(journal: Journal, seq: number, carried?: readonly CarriedItem[]): void {
  const batch = { seq, nowMs: unixMs(seq), inputs: [] };
  const entry = { batch, effects: [], signed: [], ended: [], booked: [] };
  journal.append(carried === undefined ? entry : { ...entry, carried });
  journal.maintain();
}

const holding = (base: number, strategy = "maker"): CarriedItem => ({
  ...flatPosition(strategy, market),
  base: String(base),
});

const carriedOf = (store: MemoryStore) => restore(store, "j").restored.carried;

describe("what a run leaves to the next", () => {
  test("is the newest item of each key at every batch, over checkpoints, segments and runs", () => {
    const store = new MemoryStore();
    let journal = open(store, "run 0");
    for (let seq = 1; seq <= 120; seq += 1) {
      append(journal, seq, seq % 3 === 0 ? [holding(seq)] : undefined);
      append(journal, 1000 + seq, seq === 2 ? [holding(7, "other")] : undefined);
      const newest = seq - (seq % 3);
      const expected = [
        ...(newest > 0 ? [holding(newest)] : []),
        ...(seq >= 2 ? [holding(7, "other")] : []),
      ];
      expect(new Set(carriedOf(store))).toEqual(new Set(expected));
      // The process is killed, and another one starts.
      if (seq % 50 === 0) journal = open(store, `run ${seq}`);
    }
    expect(listSegments(store, "j").length).toBeGreaterThan(3);
  });

  test("contains what a person set between two runs, behind a torn tail", async () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
      effects: [place(1)],
      signed: [{ intent: 1, txHash: `0x${"1".repeat(64)}` as OrderId, bytesHex: "0x" }],
      ended: [],
      booked: [],
      carried: [holding(1), { type: "pause", isPaused: true }],
    });
    append(journal, 2, [holding(2)]);
    store.openAppend("j/000001.journal", { truncateTo: journal.size - 3 });
    expect(await adjustJournal(store, "j", [holding(9)], unixMs(5))).toBe(true);
    const { restored } = restore(store, "j");
    expect(restored).toMatchObject({ orders: [{}], nonceHighWater: place(1).nonce });
    expect(restored.carried).toEqual([holding(9), { type: "pause", isPaused: true }]);
    open(store, "two");
    expect(carriedOf(store)).toEqual(restored.carried);
    const [first] = listRuns(store, "j");
    const types =
      first === undefined ? [] : [...entriesOfRun(store, first)].map(({ type }) => type);
    expect(types).toEqual(["batch", "batch", "adjusted"]);
  });

  test("cannot be set before the first run", async () => {
    expect(await adjustJournal(new MemoryStore(), "j", [holding(1)], unixMs(5))).toBe(false);
  });
});
