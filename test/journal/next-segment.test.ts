import { describe, expect, it } from "vitest";
import type { Address } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, idOf, owner, place } from "./journal-fixture.ts";

describe("a journal whose next segment cannot be opened", () => {
  class RefusingStore extends MemoryStore {
    override openAppend(...given: Parameters<MemoryStore["openAppend"]>) {
      if (given[0].includes("000002")) throw new Error("ENOSPC: no space left on device");
      return super.openAppend(...given);
    }
  }

  /** A run whose second segment cannot be opened; the first stays writable. */
  function failing(store: MemoryStore): Journal {
    const { restored } = restore(store, "j");
    const header = headerOf("one");
    const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 1 });
    const { batch, ...rest } = {
      batch: {
        seq: 1,
        nowMs: unixMs(1),
        inputs: [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 } as const],
      },
      effects: [place(1)],
      signed: [{ intent: 1, txHash: idOf(1), bytesHex: `0x${"5a".repeat(200)}` }],
      ended: [],
      booked: [],
    };
    journal.append({ batch, ...rest });
    expect(() => journal.maintain()).toThrow();
    return journal;
  }

  it("is not closed as a run that ended cleanly", () => {
    const store = new RefusingStore();
    void failing(store).close();
    expect(restore(store, "j").restored.lastEntry?.isOpen).toBe(true);
  });

  it("keeps its highest nonce when the run crashes afterwards", () => {
    const store = new RefusingStore();
    const journal = failing(store);
    const { nonceHighWater } = restore(store, "j").restored;
    for (const more of [10, 20]) {
      try {
        journal.crash({
          message: "a bug",
          nowMs: unixMs(2),
          nonceHighWater: nonceHighWater + more,
          signed: [],
        });
      } catch {
        // A journal that refuses is as good.
      }
    }
    void journal.close();
    const after = restore(store, "j").restored.nonceHighWater;
    expect([nonceHighWater, nonceHighWater + 20]).toContain(after);
  });
});

describe("a journal on a disk that hangs", () => {
  it("goes on in its segment until the disk is back, so that no call holds the event loop", async () => {
    const store = new MemoryStore();
    const { restored } = restore(store, "j");
    const header = headerOf("one");
    const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 5_000 });
    const step = (seq: number): void => {
      journal.append({
        batch: { seq, nowMs: unixMs(seq), inputs: [] },
        effects: [place(seq)],
        signed: [{ intent: seq, txHash: idOf(seq), bytesHex: `0x${"5a".repeat(500)}` }],
        ended: [idOf(seq)],
        booked: [],
      });
      journal.maintain();
    };
    step(1);
    await journal.sync();
    store.isStuck = true;
    const syncs: Promise<void>[] = [];
    for (let seq = 2; seq <= 20; seq += 1) {
      step(seq);
      syncs.push(journal.sync());
    }
    expect(store.blocked).toBe(0);
    expect(journal.size).toBeGreaterThan(10_000);
    expect(store.list("j")).toHaveLength(1);
    store.isStuck = false;
    await Promise.all(syncs);
    step(21);
    expect(store.list("j")).toHaveLength(2);
  });

  it("stays readable after a power cut when another key began to sign meanwhile", async () => {
    const next = `0x${"b".repeat(40)}` as Address;
    const signers = new Set<string | undefined>();
    for (let keep = 0; keep <= 1; keep += 1 / 16) {
      const store = new MemoryStore();
      const { restored } = restore(store, "j");
      const journal = new Journal({ store, folder: "j", header: headerOf("one"), restored });
      const step = (seq: number): void => {
        const batch = { seq, nowMs: unixMs(seq), inputs: [] };
        journal.append({ batch, effects: [place(seq)], signed: [], ended: [], booked: [] });
      };
      step(1);
      await journal.sync();
      store.isStuck = true;
      for (let seq = 2; seq <= 20; seq += 1) step(seq);
      journal.signedBy(next);
      for (let seq = 21; seq <= 40; seq += 1) step(seq);
      expect(store.blocked).toBe(0);
      store.powerCut(keep);
      const { header, restored: left } = restore(store, "j");
      signers.add(header?.signer);
      void new Journal({ store, folder: "j", header: headerOf("two"), restored: left }).close();
      const [run] = listRuns(store, "j");
      const entries = run === undefined ? [] : [...entriesOfRun(store, run)];
      expect(entries.some(({ type }) => type === "run")).toBe(header?.signer === next);
      expect(entries.length).toBeGreaterThan(0);
    }
    expect(signers).toEqual(new Set([owner, next]));
  });

  it("whose old segment cannot be made durable reports it by its own sync, not by an unhandled error", async () => {
    const failure = new Error("EIO: i/o error, fdatasync");
    class FailingStore extends MemoryStore {
      override openAppend(...given: Parameters<MemoryStore["openAppend"]>) {
        const file = super.openAppend(...given);
        return {
          get size() {
            return file.size;
          },
          append: (bytes: Uint8Array) => file.append(bytes),
          sync: () => Promise.reject(failure),
          close(): void {
            throw failure;
          },
        };
      }
    }
    const store = new FailingStore();
    const { restored } = restore(store, "j");
    const header = headerOf("one");
    const journal = new Journal({ store, folder: "j", header, restored, segmentBytes: 1 });
    const unhandled: unknown[] = [];
    const listener = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", listener);
    journal.append({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
      effects: [],
      signed: [],
      ended: [],
      booked: [],
    });
    journal.maintain();
    await expect(journal.sync()).rejects.toBe(failure);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });
});
