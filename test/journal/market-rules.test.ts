import { expect, test } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { EntryDecoder, EntryEncoder } from "../../src/journal/entry-codec.ts";
import { HEAD_BYTES } from "../../src/journal/frame.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { testMarket } from "../support/exchange.ts";
import { headerOf } from "./journal-fixture.ts";

function readBack(entry: Entry, formatVersion: number): Entry {
  const frame = new EntryEncoder().encode(entry).slice();
  const payload = frame.subarray(HEAD_BYTES);
  return new EntryDecoder("test", formatVersion).decode({ kind: 1, offset: 0, payload });
}

test.each([1, 2])(
  "a run of format %d keeps the rules of its markets; without rules they follow the grid in format 1",
  (format) => {
    const header = headerOf("one");
    const fixedTick = testMarket({ rules: { type: "fixed", tick: "0.01", lot: "0.00001" } });
    const older = testMarket();
    if (format === 1) Reflect.deleteProperty(older, "rules");
    const entry = readBack(
      {
        type: "run",
        head: {
          header: {
            ...header,
            kernel: { ...header.kernel, timing: defaultTiming },
            markets: [fixedTick, older],
          },
          restored: { nonceHighWater: 0, orders: [], carried: [] },
        },
      },
      format,
    );
    if (entry.type !== "run") throw new Error("a run");
    expect(entry.head.header.markets).toEqual([fixedTick, testMarket()]);
  },
);
