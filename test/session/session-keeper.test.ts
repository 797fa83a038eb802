import { beforeEach, describe, expect, test } from "vitest";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { fetchSessions } from "../../src/session/session-maker.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { expectVerified, stopped } from "../runtime/live-world.ts";
import { MINUTE_MS, sessionWorld, type SessionWorld } from "./session-world.ts";

/** Runs a whole bot with a session wallet against the paper venue, for days of virtual time. */

let world: SessionWorld;
beforeEach(async () => {
  world = await sessionWorld();
});

async function signers(): Promise<readonly string[]> {
  const run = listRuns(world.store, "journal").at(-1);
  if (run === undefined) throw new Error("a run");
  const later = [...entriesOfRun(world.store, run)].flatMap((entry) =>
    entry.type === "run" ? [entry.head.header.signer] : [],
  );
  return [run.header.signer, ...later];
}

// Two seconds of a quiet core each, an hour of virtual time: a busy machine takes many times that.
describe("a bot with a session wallet", () => {
  test("renews it with overlap: it signs with a new session, ends the old one and leaves no order open", async () => {
    const bot = await world.run({ lifetimeMs: 15 * MINUTE_MS, renew: world.renew });
    await world.clock.runFor(9 * MINUTE_MS);
    const [second] = world.made;
    expect(world.made).toHaveLength(1);
    const after = await world.settle(fetchSessions(world.sessions));
    expect(after.get(world.first.address)?.applied).toBe(false);
    expect(second && after.get(second.address)).toMatchObject({ applied: true, name: "bot" });
    // The bot still quotes long after the end of the first session.
    await world.clock.runFor(11 * MINUTE_MS);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, ordersRejected: 0 } });
    expect(await signers()).toEqual([world.first.address, second?.address]);
    await expectVerified(world);
    expect(world.warnings.filter((each) => each.includes("ends"))).toEqual([]);
  });

  test("that cannot be renewed warns, then cancels its orders in time and stops with the reason", async () => {
    const bot = await world.run({ lifetimeMs: 65 * MINUTE_MS });
    await world.clock.runFor(6 * MINUTE_MS);
    // The machine sleeps for most of the hour.
    world.clock.sleep(52 * MINUTE_MS);
    await world.clock.runFor(6 * MINUTE_MS - 5_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    const end = await world.settle(bot.done);
    expect(end).toMatchObject({ ok: false, summary: { ordersLeft: 0 } });
    expect(end.reason).toMatch(/session wallet 0x.* ends in (1 min|59 s)/);
    expect(world.openOrders(bot)).toEqual([]);
    const warnings = world.warnings.filter((each) => each.includes("the session wallet ends"));
    expect(warnings).toEqual([
      expect.stringMatching(/in 1 h [45] min/),
      expect.stringMatching(/in (1 h|59 min)/),
    ]);
  });

  test("renews it although the owner is slow and fails at first", async () => {
    let requests = 0;
    const real = ownerOf(world.owner);
    const owner = {
      address: world.owner.address,
      async signTypedData(request: Parameters<typeof real.signTypedData>[0]) {
        requests += 1;
        if (requests === 1) throw new Error("busy");
        await new Promise<void>((resolve) => {
          world.clock.after(4_000, resolve);
        });
        return real.signTypedData(request);
      },
    };
    const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, renew: { ...world.renew, owner } });
    await world.clock.runFor(8 * MINUTE_MS);
    expect(world.made).toHaveLength(1);
    expect(await signers()).toHaveLength(2);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  test("renews it although the venue's response to the new session is lost", async () => {
    const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, renew: world.renew });
    await world.clock.runFor(1.9 * MINUTE_MS);
    world.network.faults.cutResponse = 0.5;
    await world.clock.runFor(3 * MINUTE_MS);
    world.network.faults.cutResponse = 0;
    await world.clock.runFor(4 * MINUTE_MS);
    expect(world.made).toHaveLength(1);
    expect(await signers()).toHaveLength(2);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  test("ends no session any more after its own end, also not one of several renewals before", async () => {
    const timing = { checkMs: 10_000, recheckMs: 2_000, retryMs: 3_000, overlapMs: 30_000 };
    const renew = { ...world.renew, lifetimeMs: MINUTE_MS, beforeMs: 50_000 };
    const bot = await world.run({ lifetimeMs: MINUTE_MS, stopBeforeMs: 15_000, renew, timing });
    // Three renewals, and the first session is due to be ended 10 s later.
    await world.clock.runFor(35_000);
    expect(world.made).toHaveLength(3);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    await world.clock.runFor(MINUTE_MS);
    expect(world.warnings.filter((each) => each.includes("could not be ended"))).toEqual([]);
  });
});
