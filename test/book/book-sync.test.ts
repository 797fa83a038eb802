import { describe, expect, test } from "vitest";
import { BookSync } from "../../src/book/book-sync.ts";
import type { BookSnapshot, DepthEvent } from "../../src/domain/depth.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { flat } from "./naive-book.ts";

const market = marketId("1", "2");
const query = { type: "book", marketId: market };

function event(firstId: number, finalId: number, bids = flat(), asks = flat()): DepthEvent {
  return { marketId: market, firstId, finalId, timeMs: unixMs(0), bids, asks };
}

function snapshot(lastId: number, bids = flat(10, 1), asks = flat(11, 1)): BookSnapshot {
  return { marketId: market, lastId, timeMs: unixMs(0), bids, asks };
}

function opened(limits = {}): BookSync {
  const sync = new BookSync(market, limits);
  expect(sync.onStream("opened")).toEqual(query);
  return sync;
}

describe("BookSync (§6.3)", () => {
  test("is in sync in a quiet market as soon as the snapshot is in", () => {
    const sync = opened();
    expect(sync.live).toBeUndefined();
    expect(sync.onSnapshot(snapshot(5))).toBeUndefined();
    expect(sync.live?.bids.bestPrice).toBe(10);
    expect(sync.lastId).toBe(5);
  });

  test("drops what is older than the snapshot and applies what straddles it", () => {
    const sync = opened();
    sync.onDepth(event(1, 3, flat(10, 7)));
    sync.onDepth(event(4, 6, flat(10, 9)));
    sync.onDepth(event(7, 7, flat(9, 4)));
    expect(sync.live).toBeUndefined();
    sync.onSnapshot(snapshot(5));
    expect([...(sync.live?.bids.top(5) ?? [])]).toEqual([10, 9, 9, 4]);
    expect(sync.lastId).toBe(7);
    expect(sync.counters).toMatchObject({ applied: 2, old: 1, gaps: 0 });
  });

  test("fetches again when the snapshot is older than the first buffered event", () => {
    const sync = opened();
    sync.onDepth(event(10, 12));
    expect(sync.onSnapshot(snapshot(8))).toEqual(query);
    expect(sync.state).toBe("syncing");
    expect(sync.onSnapshot(snapshot(9))).toBeUndefined();
    expect(sync.live).toBeDefined();
    expect(sync.lastId).toBe(12);
    expect(sync.counters.lateSnapshots).toBe(1);
  });

  test("the first event after a snapshot may straddle it, no later one may", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5));
    expect(sync.onDepth(event(3, 6))).toBeUndefined();
    expect(sync.live).toBeDefined();
    expect(sync.onDepth(event(6, 8))).toEqual(query);
    expect(sync.live).toBeUndefined();
  });

  test("a gap makes the book unusable at once and is healed by a newer snapshot", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5));
    sync.onDepth(event(6, 6));
    expect(sync.onDepth(event(8, 9, flat(9, 3)))).toEqual(query);
    expect(sync.live).toBeUndefined();
    expect(sync.onSnapshot(snapshot(6))).toEqual(query);
    expect(sync.onSnapshot(snapshot(7))).toBeUndefined();
    expect([...(sync.live?.bids.top(5) ?? [])]).toEqual([10, 1, 9, 3]);
    expect(sync.counters).toMatchObject({ gaps: 1, resyncs: 1, lateSnapshots: 1, applied: 2 });
  });

  test("a gap inside the buffer is never papered over", () => {
    const sync = opened();
    sync.onDepth(event(6, 7));
    expect(sync.onDepth(event(9, 9))).toEqual(query);
    expect(sync.onSnapshot(snapshot(6))).toEqual(query);
    expect(sync.live).toBeUndefined();
    sync.onSnapshot(snapshot(8));
    expect(sync.lastId).toBe(9);
    expect(sync.counters.gaps).toBe(1);
  });

  test("events that are old after the sync are dropped and counted, no gap", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5));
    sync.onDepth(event(6, 8));
    expect(sync.onDepth(event(6, 8, flat(10, 99)))).toBeUndefined();
    expect(sync.onDepth(event(1, 2))).toBeUndefined();
    expect(sync.live?.bids.bestQuantity).toBe(1);
    expect(sync.counters).toMatchObject({ old: 2, gaps: 0, resyncs: 0 });
    expect(sync.onDepth(event(9, 9))).toBeUndefined();
    expect(sync.lastId).toBe(9);
  });

  test("ids that went back for good end in a new sync", () => {
    const sync = opened({ oldRunMax: 3 });
    sync.onSnapshot(snapshot(1000));
    for (let id = 1; id <= 3; id += 1) expect(sync.onDepth(event(id, id))).toBeUndefined();
    expect(sync.onDepth(event(4, 4))).toEqual(query);
    expect(sync.live).toBeUndefined();
    sync.onSnapshot(snapshot(4));
    expect(sync.lastId).toBe(4);
    expect(sync.live).toBeDefined();
  });

  test("the buffer is bounded: full, it starts anew and is counted", () => {
    const sync = opened({ bufferMax: 3 });
    for (let id = 1; id <= 3; id += 1) expect(sync.onDepth(event(id, id))).toBeUndefined();
    expect(sync.onDepth(event(4, 4))).toEqual(query);
    expect(sync.counters.overflows).toBe(1);
    expect(sync.onSnapshot(snapshot(2))).toEqual(query);
    sync.onSnapshot(snapshot(3));
    expect(sync.lastId).toBe(4);
  });

  const many = (count: number, from: number): Float64Array =>
    Float64Array.from({ length: 2 * count }, (_, at) => (at % 2 === 0 ? from + at / 2 : 1));

  test("a live book that gets more levels than the limit is synced again", () => {
    const sync = opened({ levelsMax: 100 });
    sync.onSnapshot(snapshot(5));
    const size = sync.live?.asks.size ?? 0;
    expect(sync.onDepth({ ...event(6, 6), asks: many(100 - size, 900) })).toBeUndefined();
    expect(sync.onDepth({ ...event(7, 7), asks: many(2, 5000) })).toEqual(query);
    expect(sync.live).toBeUndefined();
    expect(sync.counters).toMatchObject({ overflows: 1, resyncs: 1 });
    sync.onSnapshot(snapshot(7));
    expect(sync.live?.asks.size).toBe(size);
  });

  test("buffered events with more levels than the limit restart the buffer", () => {
    const sync = opened({ levelsMax: 100 });
    expect(sync.onDepth({ ...event(1, 1), asks: many(101, 900) })).toBeUndefined();
    expect(sync.onDepth(event(2, 2))).toEqual(query);
    expect(sync.onDepth(event(3, 3))).toBeUndefined();
    sync.onSnapshot(snapshot(1));
    expect([sync.state, sync.lastId]).toEqual(["live", 3]);
  });

  test("a snapshot that lags behind by more levels than the limit is not compared", () => {
    const sync = opened({ levelsMax: 100 });
    sync.onSnapshot(snapshot(5));
    sync.onDepth(event(6, 6));
    for (const [id, from] of [
      [7, 900],
      [8, 900],
    ] as const) {
      sync.onDepth({ ...event(id, id), asks: many(60, from) });
    }
    expect(sync.onAudit(snapshot(6))).toBeUndefined();
    expect(sync.counters).toMatchObject({ audits: 0, auditsSkipped: 1 });
  });

  test("a closed stream closes the book, and nothing brings it back but a new one", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5));
    expect(sync.onStream("closed")).toBeUndefined();
    expect(sync.live).toBeUndefined();
    expect(sync.onSnapshot(snapshot(9))).toBeUndefined();
    expect(sync.onDepth(event(6, 6))).toBeUndefined();
    expect(sync.live).toBeUndefined();
    expect(sync.onStream("opened")).toEqual(query);
    sync.onSnapshot(snapshot(9));
    expect(sync.live).toBeDefined();
  });

  test("while live a newer snapshot is taken, an older one is not", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5));
    sync.onDepth(event(6, 9));
    sync.onSnapshot(snapshot(7, flat(1, 1)));
    expect(sync.live?.bids.bestPrice).toBe(10);
    sync.onSnapshot(snapshot(20, flat(9, 1)));
    expect(sync.live?.bids.bestPrice).toBe(9);
    expect(sync.onDepth(event(10, 14))).toBeUndefined();
    expect(sync.onDepth(event(15, 22))).toBeUndefined();
    expect(sync.lastId).toBe(22);
    expect(sync.counters.gaps).toBe(0);
  });

  test("an audit that differs makes the book unusable, one of another id says nothing", () => {
    const sync = opened();
    sync.onSnapshot(snapshot(5, flat(10, 1, 9, 1), flat(11, 1)));
    expect(sync.onAudit(snapshot(4, flat(1, 1)))).toBeUndefined();
    expect(sync.onAudit(snapshot(5, flat(10, 1), flat(11, 1)))).toBeUndefined();
    expect(sync.live).toBeDefined();
    expect(sync.onAudit(snapshot(5, flat(10, 2), flat(11, 1)))).toEqual(query);
    expect(sync.live).toBeUndefined();
  });
});
