import fc from "fast-check";
import { expect, test } from "vitest";
import { BookSync } from "../../src/book/book-sync.ts";
import type { BookSnapshot, DepthEvent } from "../../src/domain/depth.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { NaiveBook } from "./naive-book.ts";
import { runs } from "../support/soak.ts";

const market = marketId("1", "2");

/** A venue that keeps the true book of every update id. */
class Venue {
  readonly #book = new NaiveBook();
  readonly snapshots: BookSnapshot[] = [];
  readonly events: DepthEvent[] = [];
  #id = 0;

  constructor(changes: readonly (readonly (readonly [boolean, number, number])[])[]) {
    this.#record();
    for (const change of changes) {
      const firstId = this.#id + 1;
      const final = { bids: new Map<number, number>(), asks: new Map<number, number>() };
      for (const [isBid, price, quantity] of change) {
        this.#id += 1;
        const level = Float64Array.from([price, quantity]);
        const none = new Float64Array();
        this.#book.apply(isBid ? { bids: level, asks: none } : { bids: none, asks: level });
        final[isBid ? "bids" : "asks"].set(price, quantity);
        this.#record();
      }
      this.events.push({
        marketId: market,
        firstId,
        finalId: this.#id,
        timeMs: unixMs(this.#id),
        bids: Float64Array.from([...final.bids].flat()),
        asks: Float64Array.from([...final.asks].flat()),
      });
    }
  }

  #record(): void {
    this.snapshots.push({
      marketId: market,
      lastId: this.#id,
      timeMs: unixMs(this.#id),
      bids: Float64Array.from(this.#book.levels("bids")),
      asks: Float64Array.from(this.#book.levels("asks")),
    });
  }
}

const change = fc.array(
  fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 5 })),
  { minLength: 1, maxLength: 4 },
);
/** What the network does: the next event, the same again, one lost, a snapshot of some age, a new connection. */
const step = fc.oneof(
  { arbitrary: fc.constant({ type: "event" } as const), weight: 10 },
  { arbitrary: fc.constant({ type: "lose" } as const), weight: 1 },
  {
    arbitrary: fc.integer({ min: 1, max: 5 }).map((back) => ({ type: "repeat", back }) as const),
    weight: 2,
  },
  {
    arbitrary: fc
      .integer({ min: -12, max: 12 })
      .map((ahead) => ({ type: "snapshot", ahead }) as const),
    weight: 5,
  },
  {
    arbitrary: fc
      .tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: 1, max: 12 }))
      .map(([ahead, levels]) => ({ type: "audit", ahead, levels }) as const),
    weight: 3,
  },
  { arbitrary: fc.constant({ type: "reconnect" } as const), weight: 1 },
);

function topOf(snapshot: BookSnapshot, levels: number): BookSnapshot {
  const { bids, asks } = snapshot;
  return { ...snapshot, bids: bids.slice(0, 2 * levels), asks: asks.slice(0, 2 * levels) };
}

test("a live book is the venue's book at its id, whatever is lost, repeated or late", () => {
  const tries = runs(200);
  let everLive = 0;
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 40 }),
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 1, max: 8 }),
      (changes, steps, bufferMax) => {
        const venue = new Venue(changes);
        const sync = new BookSync(market, { bufferMax });
        let wanted = sync.onStream("opened") !== undefined;
        let at = 0;
        const note = (query: object | undefined) => {
          if (query !== undefined) wanted = true;
        };
        const check = () => {
          if (sync.live === undefined) {
            expect(wanted, "an unusable book wants a snapshot").toBe(true);
            return;
          }
          everLive += 1;
          const truth = venue.snapshots[sync.lastId];
          expect([...sync.live.levels().bids]).toEqual([...(truth?.bids ?? [])]);
          expect([...sync.live.levels().asks]).toEqual([...(truth?.asks ?? [])]);
        };
        for (const move of steps) {
          if (move.type === "event" || move.type === "lose") {
            const event = venue.events[at];
            if (event !== undefined) at += 1;
            if (event !== undefined && move.type === "event") note(sync.onDepth(event));
          } else if (move.type === "repeat") {
            const event = venue.events[at - move.back];
            if (event !== undefined) note(sync.onDepth(event));
          } else if (move.type === "reconnect") {
            sync.onStream("closed");
            expect(sync.live).toBeUndefined();
            note(sync.onStream("opened"));
          } else if (move.type === "audit") {
            const snapshot = venue.snapshots[Math.max(0, sync.lastId + move.ahead)];
            if (snapshot !== undefined) sync.onAudit(topOf(snapshot, move.levels));
            expect(sync.counters.auditMismatches, "a right book is never found wrong").toBe(0);
          } else {
            const sent = venue.events[at - 1]?.finalId ?? 0;
            const snapshot = venue.snapshots[Math.max(0, sent + move.ahead)];
            if (snapshot === undefined) continue;
            wanted = false;
            note(sync.onSnapshot(snapshot));
          }
          check();
        }
        // Left alone, it comes back: the rest of the stream and one fresh snapshot.
        for (; at < venue.events.length; at += 1) {
          const event = venue.events[at];
          if (event !== undefined) note(sync.onDepth(event));
        }
        const newest = venue.snapshots.at(-1);
        if (sync.live === undefined && newest !== undefined) sync.onSnapshot(newest);
        check();
        expect(sync.live).toBeDefined();
      },
    ),
    tries,
  );
  expect(everLive).toBeGreaterThan(tries.numRuns / 2);
});

test("an audit finds a wrong level, whether its snapshot is older, newer or of the same id", () => {
  const compared = { older: 0, same: 0, newer: 0 };
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 2, maxLength: 20 }),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      (changes, atSeed, ofSeed, levelSeed) => {
        const venue = new Venue(changes);
        const { events, snapshots } = venue;
        const at = atSeed % events.length;
        const of = ofSeed % events.length;
        const snapshot = snapshots[events[of]?.finalId ?? 0];
        const start = snapshots[0];
        if (snapshot === undefined || start === undefined) throw new Error("both exist");
        const levels = (snapshot.bids.length + snapshot.asks.length) / 2;
        fc.pre(levels > 0);
        const wrong = { ...snapshot, bids: snapshot.bids.slice(), asks: snapshot.asks.slice() };
        const index = levelSeed % levels;
        const isBid = index < snapshot.bids.length / 2;
        const side = isBid ? wrong.bids : wrong.asks;
        const place = 2 * (isBid ? index : index - snapshot.bids.length / 2);
        side[place + 1] = (side[place + 1] ?? 0) + 1;
        const since = events.slice(of + 1, at + 1);
        const isOverwritten = since.some(({ bids, asks }) =>
          (isBid ? bids : asks).some((value, n) => n % 2 === 0 && value === side[place]),
        );

        const sync = new BookSync(market);
        sync.onStream("opened");
        sync.onSnapshot(start);
        for (const event of events.slice(0, at + 1)) sync.onDepth(event);
        sync.onAudit(wrong);
        for (const event of events.slice(at + 1)) sync.onDepth(event);
        const { audits, auditMismatches } = sync.counters;
        expect(audits).toBe(1);
        expect(auditMismatches).toBe(isOverwritten ? 0 : 1);
        compared[of < at ? "older" : of > at ? "newer" : "same"] += 1;
      },
    ),
  );
  for (const count of Object.values(compared)) expect(count).toBeGreaterThan(0);
});
