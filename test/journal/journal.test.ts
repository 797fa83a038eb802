import { describe, expect, it } from "vitest";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { DataWriter } from "../../src/journal/data-codec.ts";
import { HEAD_BYTES, MAGIC, sealFrame } from "../../src/journal/frame.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns, listSegments } from "../../src/journal/segments.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { entry, fill, headerOf, idOf, market, place } from "./journal-fixture.ts";

function open(
  store: MemoryStore,
  runId: string,
  more: { segmentBytes?: number; checkpointBytes?: number } = {},
): Journal {
  const { restored } = restore(store, "j");
  return new Journal({ store, folder: "j", header: headerOf(runId), restored, ...more });
}

describe("journal", () => {
  it("restores the nonce and the open orders with their fills", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    journal.append(entry(1, [], [place(1), place(2), place(3)]));
    const booked = [fill(idOf(1), "t1", "0.5"), fill(idOf(1), "t2", "0.25")];
    journal.append({ ...entry(2, []), booked });
    journal.append(
      entry(
        3,
        [],
        [
          {
            type: "cancel",
            intent: 4,
            nonce: 1_700_000_000_009,
            strategy: "maker",
            orderId: idOf(3),
          },
        ],
        [idOf(2), idOf(3)],
      ),
    );
    // The process is killed here, so nothing was closed.
    const { restored, header } = restore(store, "j");
    expect(header?.runId).toBe("one");
    expect(restored.nonceHighWater).toBe(1_700_000_000_009);
    expect(restored.orders).toEqual([
      {
        orderId: idOf(1),
        nonce: 1_700_000_000_001,
        strategy: "maker",
        marketId: market,
        side: "BUY",
        price: 100,
        quantity: "2",
        executed: "0.75",
        tradeIds: ["t1", "t2"],
      },
    ]);
    expect(journal.ledger.restored()).toEqual(restored);
  });

  it("restores the nonces of standby cancels, which a guard may have used", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    const standby = {
      type: "standby",
      nonce: 1_700_000_000_020,
      strategy: "maker",
      intent: 1,
      orderId: idOf(1),
      orderNonce: 1_700_000_000_001,
      isAcknowledged: false,
    } as const;
    journal.append(entry(1, [], [place(1), standby]));
    expect(restore(store, "j").restored.nonceHighWater).toBe(standby.nonce);
    expect(journal.ledger.nonceHighWater).toBe(standby.nonce);
  });

  it("restores a stop order, and a quote's legs as orders of its strategy", () => {
    const store = new MemoryStore();
    const options = { store, folder: "journal", header: headerOf("a") };
    const journal = new Journal({
      ...options,
      restored: { nonceHighWater: 0, orders: [], carried: [] },
    });
    const tpsl = { tpLimit: 110, slTrigger: 90, slLimit: undefined };
    const terms = {
      ...place(2),
      type: "stop",
      side: "SELL",
      price: 0,
      orderType: "MARKET",
    } as const;
    const stop: Effect = { ...terms, name: "floor", kind: "stop-loss", stopPrice: 95 };
    // The last byte wraps (§4.4).
    const id = idOf(0x1ff);
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
      effects: [{ ...place(1), tpsl, key: "near" }, stop],
      signed: [
        { intent: 1, txHash: id, bytesHex: "0x" },
        { intent: 2, txHash: idOf(7), bytesHex: "0x" },
      ],
      ended: [],
      booked: [],
    });
    const saved = () => restore(store, "journal").restored.orders;
    const { takeProfit, stopLoss } = legIdsOf(id);
    expect(saved()).toMatchObject([
      { orderId: id, side: "BUY", price: 100, tpsl, key: "near" },
      {
        orderId: takeProfit,
        side: "SELL",
        price: 110,
        key: "near",
        leg: { of: id, kind: "takeProfit" },
      },
      { orderId: stopLoss, price: 0, leg: { of: id, kind: "stopLoss", stopPrice: 90 } },
      { orderId: idOf(7), stop: { name: "floor", kind: "stop-loss", stopPrice: 95 } },
    ]);
    expect(saved().every(({ strategy }) => strategy === "maker")).toBe(true);
    // A checkpoint and the next run keep all of it. Ended orders are gone.
    journal.append({
      batch: { seq: 2, nowMs: unixMs(2), inputs: [] },
      effects: [],
      signed: [],
      ended: [id, idOf(7)],
      booked: [],
    });
    void journal.close();
    const next = new Journal({
      ...options,
      header: headerOf("b"),
      restored: restore(store, "journal").restored,
    });
    expect(next.ledger.restored().orders).toMatchObject([
      { orderId: takeProfit, quantity: "2", leg: { of: id } },
      { orderId: stopLoss, leg: { of: id, stopPrice: 90 } },
    ]);
  });

  it("carries open orders across runs, segments and checkpoints, and lists each run completely", () => {
    const store = new MemoryStore();
    const first = open(store, "one", { segmentBytes: 3000, checkpointBytes: 700 });
    let seq = 0;
    for (let intent = 1; intent <= 60; intent += 1) {
      const ended = intent % 20 === 1 ? [] : [idOf(intent)];
      first.append(entry((seq += 1), [], [place(intent)]));
      first.append(entry((seq += 1), [], [], ended));
      first.maintain();
    }
    expect(listSegments(store, "j").length).toBeGreaterThan(3);
    const second = open(store, "two");
    second.append(entry(1, [], [place(100)]));
    const { restored } = restore(store, "j");
    expect(restored.orders.map(({ orderId }) => orderId)).toEqual([1, 21, 41, 100].map(idOf));
    expect(restored.nonceHighWater).toBe(1_700_000_000_100);

    const runs = listRuns(store, "j");
    expect(runs.map(({ header }) => header.runId)).toEqual(["one", "two"]);
    const seqs = runs.map((run) =>
      [...entriesOfRun(store, run)].map((item) =>
        item.type === "batch" ? item.entry.batch.seq : 0,
      ),
    );
    expect(seqs).toEqual([Array.from({ length: seq }, (_, at) => at + 1), [1]]);
  });

  it("cuts off a torn tail when it is opened again, and reuses the number of an empty segment", () => {
    const store = new MemoryStore();
    const first = open(store, "one");
    first.append(entry(1, [], [place(1)]));
    const before = first.size;
    first.append(entry(2, [], [place(2)]));
    store.openAppend("j/000001.journal", { truncateTo: first.size - 3 });
    // The next start crashed during its first write.
    store.openAppend("j/000002.journal").append(new Uint8Array([84, 76]));
    expect(restore(store, "j").restored.orders.map(({ orderId }) => orderId)).toEqual([idOf(1)]);
    const second = open(store, "two");
    second.append(entry(1, [], [place(3)]));
    expect(listSegments(store, "j").map(({ name }) => name)).toEqual([
      "000001.journal",
      "000002.journal",
    ]);
    expect(restore(store, "j").restored.orders.map(({ orderId }) => orderId)).toEqual([
      idOf(1),
      idOf(3),
    ]);
    open(store, "three");
    expect(store.read("j/000001.journal")).toHaveLength(before);
  });

  it("refuses an unknown record, even at the end where it could pass for a torn tail", () => {
    const store = new MemoryStore();
    open(store, "one").append(entry(1, [], [place(1)]));
    const writer = new DataWriter();
    writer.begin(HEAD_BYTES);
    writer.value({ of: "a later version" });
    const frame = writer.written.slice();
    sealFrame(frame, new DataView(frame.buffer), 200);
    store.openAppend("j/000001.journal").append(frame);
    expect(() => restore(store, "j")).toThrowError(
      expect.objectContaining({
        code: "JOURNAL_DAMAGED",
        message: expect.stringContaining("kind 200"),
      }),
    );
  });

  it("names the version that reads a segment of another format", () => {
    const store = new MemoryStore();
    const writer = new DataWriter();
    writer.begin(HEAD_BYTES);
    const header = { ...headerOf("one"), codeVersion: "7.0.0" };
    const restored = { nonceHighWater: 0, orders: [], carried: [] };
    writer.value({ formatVersion: 99, segment: 1, header, restored });
    const frame = writer.written.slice();
    sealFrame(frame, new DataView(frame.buffer), 1);
    const file = store.openAppend("j/000001.journal");
    file.append(MAGIC);
    file.append(frame);
    expect(() => restore(store, "j")).toThrowError(
      expect.objectContaining({
        code: "JOURNAL_VERSION",
        message: expect.stringContaining("7.0.0"),
        hint: expect.stringContaining("Read it with touchline 7.0.0"),
      }),
    );
  });

  it("fails the append on a full disk, and every append after it", () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    store.roomBytes = 10;
    expect(() => journal.append(entry(1, [], [place(1)]))).toThrowError(
      expect.objectContaining({ code: "WRITE_FAILED" }),
    );
    store.roomBytes = 1e9;
    expect(() => journal.append(entry(2, []))).toThrowError(
      expect.objectContaining({ code: "WRITE_FAILED" }),
    );
    expect(restore(store, "j").restored.orders).toEqual([]);
  });

  it("keeps the nonces of a crash", () => {
    const store = new MemoryStore();
    open(store, "one").crash({ message: "bug", nowMs: unixMs(5), nonceHighWater: 77, signed: [] });
    expect(restore(store, "j").restored.nonceHighWater).toBe(77);
  });

  it("ends with the end of its run, although another key would sign from then on", async () => {
    const store = new MemoryStore();
    const journal = open(store, "one");
    journal.append(entry(1, []));
    const closed = journal.close();
    const { size } = journal;
    journal.signedBy(headerOf("two").signer);
    await closed;
    journal.signedBy(headerOf("two").signer);
    expect(journal.size).toBe(size);
    expect(listSegments(store, "j")).toHaveLength(1);
  });
});
