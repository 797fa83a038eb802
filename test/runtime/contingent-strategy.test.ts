import { describe, expect, it } from "vitest";
import { verifyTools } from "../../src/cli/journal-tools.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { isTerminal } from "../../src/domain/order.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import type { ObservedEntry } from "../../src/runtime/observers.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import { stopped, liveWorld, type World } from "./live-world.ts";

/** A strategy's stop orders, take profits and stop losses in the whole bot, with REST, streams, journal and restarts. */

function settingsOf(world: World): LiveSettings {
  const [first] = world.settings.strategies;
  if (first === undefined) throw new Error("a strategy");
  const params = contingentStrategy.params.parse({ size: "0.5" });
  const strategy = { ...first, definition: contingentStrategy, params, seed: 11 };
  return { ...world.settings, strategies: [strategy] };
}

/** Re-runs the journal's newest run. */
async function verified(world: World) {
  const run = listRuns(world.store, "journal").at(-1);
  const [binding] = settingsOf(world).strategies;
  if (run === undefined || binding === undefined) throw new Error("a run of a strategy");
  const { header } = run;
  const bare = { ...header, strategies: [] };
  const tools = await verifyTools(bare, world.crypto, { config: undefined, trust: true });
  return verifyRun(header, entriesOfRun(world.store, run), {
    ...tools,
    kernelOf: () =>
      new Kernel({ ...header.kernel, markets: header.markets, strategies: [binding] }),
  });
}

describe("stop orders and legs of a strategy", () => {
  it("leave no open orders, every fill belongs to its strategy, and the journal re-runs", async () => {
    const world = await liveWorld(31);
    const bot = await world.start(settingsOf(world));
    const fills: string[] = [];
    const seen = new Set<string>();
    bot.observers.on(({ notes }: ObservedEntry) => {
      for (const note of notes) {
        if (note.type === "fill")
          fills.push(`${note.strategy} ${note.fill.tradeId} ${note.fill.orderId}`);
        if (note.type === "order" && note.order.status === "FILLED") seen.add(note.order.role);
      }
    });
    await world.clock.runFor(60_000);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersLeft: 0, foreignOrders: 0, unknownOutcomes: 0 });
    expect(end.summary.stopsPlaced).toBeGreaterThan(0);
    expect(end.summary.stopsTriggered).toBeGreaterThan(0);
    expect([...seen].toSorted()).toEqual(["quote", "stop", "stopLoss", "takeProfit"]);
    const real = world.venue.exchange.userTrades(bot.owner, {
      fromMs: 0,
      toMs: 2e12,
      limit: 10_000,
    });
    expect(fills.length).toBe(real.length);
    expect(new Set(fills).size).toBe(real.length);
    expect(fills.every((line) => line.startsWith("maker "))).toBe(true);

    const result = await verified(world);
    expect(result).toMatchObject({ identical: true, firstDifference: null });
    expect(result.recovered).toBe(result.signed);
    expect(restore(world.store, "journal").restored.orders).toEqual([]);
  });

  it("are adopted by the next run after a kill", async () => {
    const world = await liveWorld(32);
    const process = new VirtualProcess({ ...world.ports });
    const { timer, http, connector } = process;
    const killed = await world.settle(
      startLive(settingsOf(world), { ...world.ports, timer, http, connector }),
    );
    const { exchange } = world.venue;
    const open = () => world.openOrders(killed).filter(({ otoLegType }) => otoLegType !== "NONE");
    await world.clock.runUntil(() => open().length >= 3, 120_000);
    process.kill();
    world.store.killed();
    const left = world.openOrders(killed).map(({ orderId }) => orderId);
    const { orders } = restore(world.store, "journal").restored;
    // The journal has every open order with its strategy, and the waiting legs too.
    const saved = new Map(orders.map((order) => [order.orderId, order]));
    expect(left.filter((id) => saved.get(id)?.strategy !== "maker")).toEqual([]);
    const pending = orders.filter(({ leg }) => leg !== undefined && !left.includes(leg.of));
    expect(pending.length).toBeGreaterThan(0);

    const again = await world.start(settingsOf(world));
    await world.clock.runFor(30_000);
    const end = await stopped(world, again);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersLeft: 0, foreignOrders: 0, unknownOutcomes: 0 });
    const isOver = (id: OrderId): boolean => {
      const status = exchange.order(id)?.status;
      return status !== undefined && isTerminal(status);
    };
    expect(left.filter((id) => !isOver(id))).toEqual([]);
    for (const { orderId, tpsl } of orders) {
      if (tpsl === undefined || exchange.order(orderId)?.status === "REJECTED") continue;
      expect(Object.values(legIdsOf(orderId)).every(isOver)).toBe(true);
    }
    expect(await verified(world)).toMatchObject({ identical: true, firstDifference: null });
  });
});
