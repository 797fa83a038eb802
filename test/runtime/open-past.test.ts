import { expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { openPast } from "../../src/runtime/open-past.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf, idOf, owner, report } from "../journal/journal-fixture.ts";

it("keeps the open orders of others for the same account only", () => {
  const store = new MemoryStore();
  const restored = { nonceHighWater: 0, orders: [], carried: [] };
  const journal = new Journal({ store, folder: "j", header: headerOf("one"), restored });
  const inputs = [{ type: "openOrders", orders: [report(idOf(7), "NEW")] }] as const;
  const batch = { seq: 1, nowMs: unixMs(1), inputs };
  journal.append({ batch, effects: [], signed: [], ended: [], booked: [] });
  void journal.close();
  const pastOn = (chainId: number) =>
    openPast(
      {
        journal: { path: "j", durability: "process", keep: {} },
        venue: { rest: "http://venue", ws: "ws://venue", chainId },
      },
      { store, bootId: undefined },
      owner,
    );
  expect(pastOn(1001).foreignIds).toEqual([idOf(7)]);
  expect(pastOn(1002)).not.toHaveProperty("foreignIds");
});
