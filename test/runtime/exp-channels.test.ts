import { describe, expect, test } from "vitest";
import { placedBy } from "../../src/metrics/counters.ts";
import { stopped, strategiesOf } from "./live-world.ts";
import { delayed, faultyWorld, type FaultyWorld } from "./faulty-channels.ts";
const LOST = Number.POSITIVE_INFINITY;
const ch = (world: FaultyWorld, fromMs: number): string => world.notes.flatMap(({ atMs, note }) => note.type === "channel" ? [`${atMs - fromMs} ${note.channel.kind}@${"marketId" in note.channel ? note.channel.marketId : ""} ${note.state} ${note.reason}`] : []).join(" | ");
const warn = (world: FaultyWorld): string => JSON.stringify(Object.entries(Object.groupBy(world.notesOf("warning"), (n) => n.code)).map(([c, l]) => [c, l?.length]));
const placed = ({ notes }: FaultyWorld, from: number): number => notes.filter(({ atMs, note }) => atMs >= from && "strategy" in note && placedBy(note) !== undefined).length;
const unsub = (w: FaultyWorld) => w.requests.filter((r) => r.startsWith("unsub")).length;
const subs = (w: FaultyWorld) => w.requests.filter((r) => r.startsWith("subscribe trade@1_2")).length;

describe("exp", () => {
  test("quiet market hour", async () => {
    const world = await faultyWorld(3, { flow: "none" });
    const bot = await world.startBot();
    await world.clock.runFor(3_600_000);
    console.log("quiet none", bot.owner, ch(world, 0), warn(world), unsub(world), subs(world));
    console.log((await stopped(world, bot)).summary.staleMs);
  }, 120_000);
  test("reconnects every 20 s", async () => {
    const world = await faultyWorld(3);
    const bot = await world.startBot();
    await world.clock.runFor(10_000);
    const from = world.clock.nowMs();
    for (let i = 0; i < 30; i += 1) { world.network.cutSockets(); await world.clock.runFor(20_000); }
    console.log("reconnect", ch(world, from), warn(world), unsub(world), subs(world), placed(world, from));
    const { ok, summary } = await stopped(world, bot);
    console.log(ok, summary.staleMs, summary.uptimeBid);
  }, 120_000);
  test("two markets, one frozen depth", async () => {
    const world = await faultyWorld(3, { moreMarkets: ["3"], prices: { "1_2": 100, "3_2": 1000 } });
    const bot = await world.startBot({ strategies: strategiesOf([{ name: "a" }, { name: "b", marketId: "3_2" }]) });
    await world.clock.runFor(10_000);
    const from = world.clock.nowMs();
    world.fault = (c) => c === "depth@1_2" ? LOST : 0;
    const seen: string[] = [];
    for (let i = 0; i < 30; i += 1) { await world.clock.runFor(10_000); seen.push(`${world.openOrders(bot, "1_2").length}/${world.openOrders(bot, "3_2").length}`); }
    console.log("two markets", seen.join(" "), ch(world, from), warn(world), subs(world));
    await stopped(world, bot);
  }, 120_000);
  test("constant 2 s", async () => {
    const world = await faultyWorld(3);
    world.fault = delayed("depth@", 2000);
    const bot = await world.startBot();
    const from = world.clock.nowMs();
    const seen: number[] = [];
    for (let i = 0; i < 60; i += 1) { await world.clock.runFor(10_000); seen.push(world.openOrders(bot).length); }
    console.log("2s", seen.join(" "), ch(world, from), warn(world), unsub(world), subs(world));
    const { summary } = await stopped(world, bot);
    console.log(summary.staleMs, summary.uptimeBid);
  }, 120_000);
  test("all data 12 s late from the start", async () => {
    const world = await faultyWorld(3);
    world.fault = (c) => c.startsWith("user") ? 0 : 12000;
    const bot = await world.startBot();
    const from = world.clock.nowMs();
    const seen: number[] = [];
    for (let i = 0; i < 60; i += 1) { await world.clock.runFor(10_000); seen.push(world.openOrders(bot).length); }
    console.log("12s", seen.join(" "), ch(world, from), warn(world), unsub(world), subs(world), placed(world, from + 60000));
    await stopped(world, bot);
  }, 120_000);
  test("stop with user channel dead", async () => {
    const world = await faultyWorld(3);
    const bot = await world.startBot();
    await world.clock.runFor(15_000);
    world.fault = () => LOST;
    await world.clock.runFor(300);
    const t = world.clock.nowMs();
    const end = await stopped(world, bot);
    console.log("stop dead", world.clock.nowMs() - t, end.ok, end.reason, world.openOrders(bot).length);
    expect(1).toBe(1);
  }, 120_000);
  test("user channel dead with fills, all others frozen too", async () => {
    const world = await faultyWorld(3);
    const bot = await world.startBot();
    await world.clock.runFor(15_000);
    const from = world.clock.nowMs();
    world.fault = () => LOST;
    const seen: number[] = [];
    for (let i = 0; i < 60; i += 1) { await world.clock.runFor(10_000); seen.push(world.openOrders(bot).length); }
    console.log("all channels lost, pongs", seen.join(" "), ch(world, from), warn(world), placed(world, from + 60000));
    const lags = world.notes.flatMap(({ atMs, note }) => note.type === "fill" && atMs > from ? [atMs - note.fill.timeMs] : []);
    console.log(lags.join());
    const end = await stopped(world, bot);
    console.log(end.ok, end.summary.uptimeBid, end.summary.staleMs);
  }, 120_000);
});
