import { describe, expect, it } from "vitest";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { adjustJournal } from "../../src/journal/adjust.ts";
import { restore } from "../../src/journal/restore.ts";
import { readSegment, segmentName } from "../../src/journal/segments.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { overwrite, recordRun } from "./journal-fixture.ts";

const ADJUSTED_FRAME = 7;

describe("a position that a person set", () => {
  it("is not forgotten without an error when its record is damaged anywhere", async () => {
    const store = new MemoryStore();
    recordRun(store, "one", 1);
    const position = { ...flatPosition("maker", "1_2" as MarketId), base: "5" };
    await adjustJournal(store, "j", [position], unixMs(50));
    expect(restore(store, "j").restored.carried).toMatchObject([{ base: "5" }]);
    const path = "j/000001.journal";
    const bytes = (store.read(path) ?? new Uint8Array()).slice();
    const { frames } = readSegment(store, segmentName("j", 1));
    const at = frames.findIndex(({ kind }) => kind === ADJUSTED_FRAME);
    const [from, to] = [frames[at]?.offset ?? 0, frames[at + 1]?.offset ?? 0];
    expect(to).toBeGreaterThan(from);
    for (let byte = from; byte < to; byte += 1) {
      const copy = bytes.slice();
      copy[byte] = (copy[byte] ?? 0) ^ 0xff;
      overwrite(store, path, copy);
      expect(() => restore(store, "j"), `byte ${byte}`).toThrow(
        expect.objectContaining({ code: "JOURNAL_DAMAGED" }),
      );
    }
  });
});
