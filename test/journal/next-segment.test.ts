import { describe, expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, idOf, place } from "./journal-fixture.ts";

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
    };
    journal.append({ batch, ...rest });
    expect(() => journal.maintain()).toThrow();
    return journal;
  }

  it("is not closed as a run that ended cleanly", () => {
    const store = new RefusingStore();
    failing(store).close();
    expect(restore(store, "j").restored.lastEntry).toBeDefined();
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
    journal.close();
    const after = restore(store, "j").restored.nonceHighWater;
    expect([nonceHighWater, nonceHighWater + 20]).toContain(after);
  });
});
