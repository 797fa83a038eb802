import { expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { PlaceCommand } from "../../src/domain/command.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { orderStrategies } from "../../src/journal/order-strategies.ts";
import { restore } from "../../src/journal/restore.ts";
import { listSegments, readSegment } from "../../src/journal/segments.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, place } from "./journal-fixture.ts";

const HOUR_MS = 3_600_000;

/** Ids far enough apart to leave room for the ids of legs. */
function idOf(number: number): OrderId {
  return `0x${(16 * number).toString(16).padStart(64, "0")}` as OrderId;
}

class Counting extends MemoryStore {
  readonly reads: string[] = [];
  override read(path: string): Uint8Array | undefined {
    this.reads.push(path);
    return super.read(path);
  }
}

/** Places an order of strategy `s<hour>` each hour from hour 1 on. Each ends an hour later, except the first, which stays open. */
function journalOf(hours: number, sizes: { segmentBytes?: number; checkpointBytes?: number }) {
  const store = new Counting();
  let seq = 0;
  for (const runId of ["a", "b"]) {
    const { restored } = restore(store, "j");
    const journal = new Journal({
      store,
      folder: "j",
      header: headerOf(runId),
      restored,
      ...sizes,
    });
    for (let step = 0; step < hours; step += 1) {
      seq += 1;
      const command: PlaceCommand = {
        ...place(seq),
        strategy: `s${seq}`,
        tpsl: { tpLimit: 120, slTrigger: 80, slLimit: undefined },
      };
      const last = idOf(seq - 1);
      const over = seq > 2 ? [last, ...Object.values(legIdsOf(last))] : [];
      journal.append({
        batch: {
          seq,
          nowMs: unixMs(seq * HOUR_MS),
          inputs: [],
        },
        effects: [command],
        signed: [{ intent: seq, txHash: idOf(seq), bytesHex: "0x" }],
        ended: over,
        booked: [],
      });
      journal.maintain();
    }
    void journal.close();
  }
  store.reads.length = 0;
  return store;
}

/** Sizes so small that a new checkpoint or segment starts every few entries. */
const small = { segmentBytes: 12_000, checkpointBytes: 1_500 };

it.each([
  ["one long segment a run", {}],
  ["many segments and checkpoints", small],
])(
  "finds the strategy of an order and its legs from any time at which it was open: %s",
  (_, sizes) => {
    const store = journalOf(40, sizes);
    for (const hour of [1, 2, 17, 39, 40, 41, 42, 79, 80]) {
      const legs = legIdsOf(idOf(hour));
      for (const orderId of [idOf(hour), legs.takeProfit, legs.stopLoss]) {
        for (const later of [0, 1]) {
          const atMs = (hour + later) * HOUR_MS - 60_000 * later;
          expect(orderStrategies(store, "j", new Map([[orderId, atMs]]))?.get(orderId)).toBe(
            `s${hour}`,
          );
        }
      }
    }
    // All at once, including some orders of another program.
    const wanted = new Map([5, 6, 60, 1000].map((hour) => [idOf(hour), hour * HOUR_MS]));
    expect(orderStrategies(store, "j", wanted)).toEqual(
      new Map([
        [idOf(60), "s60"],
        [idOf(6), "s6"],
        [idOf(5), "s5"],
      ]),
    );
  },
);

it("finds long-lived orders at the journal's end, and reads hardly more than that", () => {
  const store = journalOf(40, small);
  const segments = listSegments(store, "j").length;
  expect(segments).toBeGreaterThan(6);
  const { takeProfit } = legIdsOf(idOf(1));
  const nowMs = 81 * HOUR_MS;
  const wanted = new Map([idOf(1), takeProfit, idOf(1000)].map((id) => [id, nowMs]));
  expect(orderStrategies(store, "j", wanted)).toEqual(
    new Map([
      [idOf(1), "s1"],
      [takeProfit, "s1"],
    ]),
  );
  // And the segment before a segment that has just started.
  expect(store.reads.length).toBeLessThan(3);
});

it("finds the orders that a run without batches took over", () => {
  const store = journalOf(3, {});
  const { restored } = restore(store, "j");
  const last = new Journal({ store, folder: "k", header: headerOf("c"), restored });
  void last.close();
  const wanted = new Map([idOf(1), idOf(6)].map((id) => [id, 7 * HOUR_MS]));
  expect(orderStrategies(store, "k", wanted)?.size).toBe(2);
});

it("leaves out orders older than the journal, and returns undefined without a journal", () => {
  const store = journalOf(3, {});
  expect(orderStrategies(store, "j", new Map([[idOf(99), 0]]))).toEqual(new Map());
  expect(orderStrategies(store, "nothing", new Map([[idOf(1), 0]]))).toBeUndefined();
  expect(orderStrategies(store, "j", new Map())).toEqual(new Map());
});

it("uses the remaining segments when older ones were deleted", () => {
  const store = journalOf(40, small);
  const names = listSegments(store, "j");
  const kept = new MemoryStore();
  for (const { path } of names.slice(-3)) {
    kept.openAppend(path).append(store.read(path) ?? new Uint8Array());
  }
  const [first] = listSegments(kept, "j");
  if (first === undefined) throw new Error("no segment is left");
  expect(readSegment(kept, first).head?.restored.orders[0]?.orderId).toBe(idOf(1));
  const wanted = new Map([
    [idOf(1), 2 * HOUR_MS],
    [idOf(2), 2 * HOUR_MS],
    [idOf(80), 80 * HOUR_MS],
  ]);
  const found = orderStrategies(kept, "j", wanted);
  expect(found?.get(idOf(80))).toBe("s80");
  expect(found?.has(idOf(2))).toBe(false);
});
