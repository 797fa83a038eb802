import { expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { openPast } from "../../src/runtime/open-past.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, idOf, owner, place } from "../journal/journal-fixture.ts";

/** What a start makes of a journal whose run placed an order and did not end. */
function pastAfter(bootId: string | undefined, isAccountShared = false) {
  const store = new MemoryStore();
  const header = { ...headerOf("one"), bootId: "first" };
  const restored = { nonceHighWater: 0, orders: [] };
  const journal = new Journal({ store, folder: "j", header, restored });
  const time = { type: "venueTime", offsetMs: 500, roundTripMs: 4 } as const;
  const batch = { seq: 1, nowMs: unixMs(1_700_000_000_000), inputs: [time] };
  const signed = [{ intent: 0, txHash: idOf(1), bytesHex: "0x01" }];
  journal.append({ batch, effects: [place(0)], signed, ended: [] });
  const settings = {
    journal: { path: "j", durability: "process", keep: {} },
    venue: { rest: "http://venue", ws: "ws://venue", chainId: 1001 },
    isAccountShared,
  } as const;
  return openPast(settings, { store, bootId }, owner);
}

it("looks for lost orders only after another boot, from some seconds before the journal's end on", () => {
  expect(pastAfter("first")).not.toHaveProperty("lostTails");
  const [tail] = pastAfter("second").lostTails ?? [];
  expect(tail?.sinceMs).toBe(1_700_000_000_500 - 3_000);
  expect(pastAfter(undefined).lostTails).toHaveLength(1);
});

it("looks for no lost orders where the account is shared", () => {
  expect(pastAfter("second", true)).not.toHaveProperty("lostTails");
});
