import { expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { openPast } from "../../src/runtime/open-past.ts";
import { beyondLostNonces } from "../../src/runtime/last-nonces.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, idOf, owner, place, report } from "../journal/journal-fixture.ts";

it("keeps the open orders of others for the same account only", () => {
  const store = new MemoryStore();
  const restored = { nonceHighWater: 0, orders: [] };
  const journal = new Journal({ store, folder: "j", header: headerOf("one"), restored });
  const inputs = [{ type: "openOrders", orders: [report(idOf(7), "NEW")] }] as const;
  const batch = { seq: 1, nowMs: unixMs(1), inputs };
  journal.append({ batch, effects: [], signed: [], ended: [] });
  void journal.close();
  const pastOn = (chainId: number) =>
    openPast(
      {
        journal: { path: "j", durability: "process", keep: {} },
        venue: { rest: "http://venue", ws: "ws://venue", chainId },
      },
      { store, bootId: undefined },
      owner,
    );
  expect(pastOn(1001).foreignIds).toEqual([idOf(7)]);
  expect(pastOn(1002)).not.toHaveProperty("foreignIds");
});

it("takes nonces of a run as used that a power cut has removed from the journal", () => {
  const used = 1_700_000_000_000;
  const pastAfter = (
    nowMs: number,
    bootId: string,
    { isAccountShared = false, startMs = nowMs } = {},
  ) => {
    const store = new MemoryStore();
    const journal = new Journal({
      store,
      folder: "j",
      header: { ...headerOf("one"), bootId: "first" },
      restored: { nonceHighWater: used, orders: [] },
    });
    const time = { type: "venueTime", offsetMs: 0, roundTripMs: 0 } as const;
    const batch = { seq: 1, nowMs: unixMs(nowMs), inputs: [time] };
    const signed = [{ intent: 0, txHash: idOf(1), bytesHex: "0x01" }];
    journal.append({ batch, effects: [place(0)], signed, ended: [] });
    const settings = {
      journal: { path: "j", durability: "process", keep: {} },
      venue: { rest: "http://venue", ws: "ws://venue", chainId: 1001 },
      isAccountShared,
    } as const;
    const clock = { nowMs: () => unixMs(startMs), monotonicUs: () => 0 };
    return openPast(settings, { store, bootId, clock }, owner).nonceHighWater;
  };
  expect(pastAfter(used, "first")).toBe(used);
  // By number above those of the lost run: the clocks may be behind.
  expect(pastAfter(used - 20_000, "second")).toBe(beyondLostNonces(used));
  expect(pastAfter(used - 20_000, "second", { isAccountShared: true })).toBe(
    beyondLostNonces(used),
  );
  // By the clock of the last record, and the 5 s in which orders were sent after it.
  expect(pastAfter(used + 10_000, "second")).toBeGreaterThanOrEqual(used + 15_000);
  expect(pastAfter(used + 10_000, "second")).toBeLessThan(used + 20_000);
  // A start that is a second later begins a second higher: a run between the two may be lost as a whole.
  const startAt = (afterMs: number): number =>
    pastAfter(used + 10_000, "second", { startMs: used + 10_000 + afterMs });
  expect(startAt(3_000) - startAt(2_000)).toBe(1_000);
  // Also when the clock was set back after the record: two lost starts by the same clock give no nonce twice.
  expect(startAt(-12_263) - startAt(0)).toBe(7_737);
  expect(startAt(-26_147) - startAt(0)).toBe(3_853);
  expect(startAt(-1) - startAt(-2)).toBe(1);
  for (const afterMs of [-1, -9_999, -10_000, -10_001, -3_600_000]) {
    expect(startAt(afterMs)).toBeGreaterThanOrEqual(startAt(0));
    expect(startAt(afterMs)).toBeLessThan(startAt(0) + 10_000);
  }
});

it("takes nonces as used of a lost run that only canceled, by a clock ahead of the newest reading", () => {
  const recordedMs = 1_700_000_000_000;
  const highest = recordedMs + 19_000;
  const pastAt = (
    afterMs: number,
    {
      bootId = "second",
      endsCleanly = false,
      readsClock = true,
      offsetMs = 0,
      usedMs = 19_000,
      damagedAfterMs = undefined as number | undefined,
    } = {},
  ) => {
    const store = new MemoryStore();
    const header = { ...headerOf("one"), bootId: "first" };
    const restored = { nonceHighWater: recordedMs + usedMs, orders: [] };
    const journal = new Journal({ store, folder: "j", header, restored });
    const time = { type: "venueTime", offsetMs, roundTripMs: 0 } as const;
    const batch = { seq: 1, nowMs: unixMs(recordedMs), inputs: readsClock ? [time] : [] };
    journal.append({ batch, effects: [], signed: [], ended: [] });
    if (endsCleanly) void journal.close();
    if (damagedAfterMs !== undefined) {
      const lost = { ...headerOf("two"), bootId: "second" };
      const next = new Journal({ store, folder: "j", header: lost, restored });
      const nowMs = unixMs(recordedMs + damagedAfterMs);
      // More than the page that does not reach the disk, with the head of the run.
      const signed = [{ intent: 0, txHash: idOf(1), bytesHex: "ab".repeat(5_000) }];
      next.append({ batch: { seq: 1, nowMs, inputs: [] }, effects: [place(0)], signed, ended: [] });
      next.append({ batch: { seq: 2, nowMs, inputs: [] }, effects: [], signed: [], ended: [] });
      store.powerCut(1, { losesPage: true });
      expect(restore(store, "j")).toMatchObject({ header: { runId: "one" }, damagedMs: nowMs });
    }
    const settings = {
      journal: { path: "j", durability: "process", keep: {} },
      venue: { rest: "http://venue", ws: "ws://venue", chainId: 1001 },
    } as const;
    const clock = { nowMs: () => unixMs(recordedMs + afterMs), monotonicUs: () => 0 };
    return openPast(settings, { store, bootId, clock }, owner).nonceHighWater;
  };
  // What followed that clock until the next start is below its nonces, and so is a start in between that left nothing.
  for (const afterMs of [0, 6_000, 7_000, 12_000]) {
    expect(pastAt(afterMs)).toBe(beyondLostNonces(highest) + afterMs);
    expect(pastAt(afterMs, { readsClock: false })).toBe(beyondLostNonces(highest) + afterMs);
  }
  expect(pastAt(3_600_000)).toBe(beyondLostNonces(highest) + 60_000);
  // Nothing is lost without a power cut.
  expect(pastAt(6_000, { bootId: "first" })).toBe(highest);
  expect(pastAt(6_000, { bootId: "first", endsCleanly: true })).toBe(highest);
  // With one, all of a run may be lost that followed a clean end.
  expect(pastAt(6_000, { endsCleanly: true })).toBe(beyondLostNonces(highest) + 6_000);
  // What is left of a lost run without its beginning does not have its nonces, which rose since the record before it.
  expect(pastAt(6_000, { damagedAfterMs: 4_000 })).toBe(pastAt(6_000));
  expect(pastAt(70_000, { damagedAfterMs: 12_000 })).toBeGreaterThanOrEqual(pastAt(70_000));
  // A lost run that read no clock tries ours once the venue has refused the last reading.
  const ahead = (offsetMs: number): number =>
    pastAt(8_000, { offsetMs, usedMs: offsetMs }) - (recordedMs + 8_000);
  expect(ahead(-12_000)).toBe(ahead(0));
  expect(ahead(3_000)).toBe(ahead(0) + 3_000);
  // Not where ours is so far ahead that no new nonce would be near the venue's.
  expect(ahead(-25_000)).toBe(ahead(0) - 25_000);
  // Also when the clock was set back meanwhile.
  expect(pastAt(4_000, { damagedAfterMs: 14_000 })).toBeGreaterThanOrEqual(pastAt(14_000));
});
