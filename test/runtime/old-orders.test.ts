import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { stopped, liveWorld } from "./live-world.ts";

/** A whole bot against the paper venue over weeks of virtual time. */

const DAY_MS = 86_400_000;

describe("a restart after 40 days", () => {
  test("finds its old resting orders, cancels them at the end, and counts an old foreign order", async () => {
    const world = await liveWorld(11);
    const first = await world.start();
    await world.clock.runFor(5_000);
    const left = world.openOrders(first).map(({ orderId }) => orderId);
    expect(left.length).toBeGreaterThan(0);
    // Like kill -9: the process is gone, and its journal stays.
    world.network.faults.refuse = true;
    first.stop();
    await world.settle(first.done);
    world.store.killed();
    world.network.faults.refuse = false;
    // Time passes without events: the venue's market sleeps too.
    world.clock.sleep(40 * DAY_MS);
    const foreign = world.venue.exchange.execute(
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
      world.clock.nowMs(),
    );
    expect(foreign.type).toBe("accepted");
    world.clock.sleep(35 * DAY_MS);

    const second = await world.start();
    await world.clock.runFor(5_000);
    const end = await stopped(world, second);
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, foreignOrders: 1 } });
    const open = world.openOrders(second).map(({ orderId }) => orderId);
    expect(open.filter((orderId) => left.includes(orderId))).toEqual([]);
  }, 60_000);
});
