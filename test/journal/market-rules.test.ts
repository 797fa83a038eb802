import { expect, test } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { EntryDecoder, EntryEncoder } from "../../src/journal/entry-codec.ts";
import { HEAD_BYTES } from "../../src/journal/frame.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { testMarket } from "../support/exchange.ts";
import { headerOf } from "./journal-fixture.ts";

function readBackAsFormat1(entry: Entry): Entry {
  const frame = new EntryEncoder().encode(entry).slice();
  const payload = frame.subarray(HEAD_BYTES);
  return new EntryDecoder("test", 1).decode({ kind: 1, offset: 0, payload });
}

test("a run keeps the rules of its markets; one of an older version follows the grid", () => {
  const fixedTick = testMarket({ rules: { type: "fixed", tick: "0.01", lot: "0.00001" } });
  const older = testMarket();
  Reflect.deleteProperty(older, "rules");
  const { kernel, ...head } = headerOf("one");
  const header = {
    ...head,
    kernel: { ...kernel, timing: defaultTiming },
    markets: [fixedTick, older],
  };
  const entry = readBackAsFormat1({
    type: "run",
    head: { header, restored: { nonceHighWater: 0, orders: [] } },
  });
  if (entry.type !== "run") throw new Error("a run");
  expect(entry.head.header.markets).toEqual([fixedTick, testMarket()]);
});
