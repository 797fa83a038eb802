import { describe, expect, test } from "vitest";
import type { Bot } from "../../src/runtime/bot.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { startLive } from "../../src/runtime/live.ts";
import { stopped, liveWorld, type World } from "./live-world.ts";

/** Starts a bot with a journal of its own, as on another machine. */
function onAnotherMachine(world: World): Promise<Bot> {
  return world.settle(startLive(world.settings, { ...world.ports, store: new MemoryStore() }));
}

describe("two bots on one account and market, on two machines", () => {
  test("that start at the same moment do not both go on quoting", async () => {
    const world = await liveWorld(4);
    const [first, second] = await world.settle(
      Promise.all([
        startLive(world.settings, world.ports),
        startLive(world.settings, { ...world.ports, store: new MemoryStore() }),
      ]),
    );
    const ended: string[] = [];
    void first.done.then(() => ended.push("first"));
    void second.done.then(() => ended.push("second"));
    await world.clock.runFor(120_000);
    expect(ended).not.toEqual([]);
  }, 60_000);

  test("of which the older is paused while the younger starts do not both go on quoting", async () => {
    const world = await liveWorld(4);
    const first = await world.start();
    await world.clock.runFor(5_000);
    first.pause();
    await world.clock.runFor(2_000);
    const second = await onAnotherMachine(world);
    const ended: string[] = [];
    void first.done.then(() => ended.push("first"));
    void second.done.then(() => ended.push("second"));
    await world.clock.runFor(15_000);
    first.resume();
    await world.clock.runFor(120_000);
    expect(ended).not.toEqual([]);
  }, 60_000);

  test("of which the older's stream is cut while the younger starts", async () => {
    const world = await liveWorld(4);
    const first = await world.start();
    await world.clock.runFor(5_000);
    const second = await onAnotherMachine(world);
    world.network.cutSockets();
    const ended: string[] = [];
    void first.done.then(() => ended.push("first"));
    void second.done.then(() => ended.push("second"));
    await world.clock.runFor(60_000);
    expect(ended).toEqual(["second"]);
    await stopped(world, first);
  }, 60_000);
});
