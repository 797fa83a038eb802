import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { stopped, world } from "./live-world.ts";

/** A whole bot against the paper venue, weeks in virtual time. */

const DAY_MS = 86_400_000;

describe("a restart after 40 days", () => {
  test("finds the orders that rest at the venue since, cancels them at the end, and counts the old foreign one", async () => {
    const it = await world(11);
    const first = await it.start();
    await it.clock.runFor(5_000);
    const left = it.openOrders(first).map(({ orderId }) => orderId);
    expect(left.length).toBeGreaterThan(0);
    // kill -9: nothing of it runs again, its journal stays.
    it.network.faults.refuse = true;
    first.stop();
    await it.settle(first.done);
    it.store.killed();
    it.network.faults.refuse = false;
    // Time passes for everybody, without its events: the venue's market sleeps, too.
    it.clock.sleep(40 * DAY_MS);
    const foreign = it.venue.exchange.execute(
      first.owner,
      {
        type: "place",
        marketId: "1_2" as MarketId,
        side: "BUY",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixed("1"),
        quantity: fixed("10"),
      },
      it.clock.nowMs(),
    );
    expect(foreign.type).toBe("accepted");
    it.clock.sleep(35 * DAY_MS);

    const second = await it.start();
    await it.clock.runFor(5_000);
    const end = await stopped(it, second);
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, foreignOrders: 1 } });
    const open = it.openOrders(second).map(({ orderId }) => orderId);
    expect(open.filter((orderId) => left.includes(orderId))).toEqual([]);
  }, 60_000);
});
