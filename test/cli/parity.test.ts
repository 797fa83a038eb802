import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { liveWorld, stopped, strategiesOf } from "../runtime/live-world.ts";
import { runLine } from "./run-line.ts";

/** The command on a journal whose first run has fills in two markets and a lost stream, and whose second has none. */

const home = mkdtempSync(path.join(tmpdir(), "touchline-parity-"));
const folder = path.join(home, "journal");
const quick = ["--queue", "risk-averse", "--latency", "0ms", "--json"];

const near = { bidSpread: "0.02%", askSpread: "0.02%", size: "0.01", levels: 1, refresh: "1s" };

beforeAll(async () => {
  const world = await liveWorld(5, {
    moreMarkets: ["3"],
    flow: { synthetic: { prices: { "1_2": 2000, "3_2": 50_000 }, levels: 4, takerEveryMs: 500 } },
  });
  const choices = strategiesOf([{ name: "eth" }, { name: "btc", marketId: "3_2" }]);
  const strategies = choices.map((strategy) => ({
    ...strategy,
    params: strategy.definition.params.parse(near),
    writtenParams: near,
  }));
  const first = await world.start({ strategies });
  await world.clock.runFor(20_000);
  world.network.cutSockets();
  await world.clock.runFor(20_000);
  await stopped(world, first);
  // Too far away to be filled.
  const far = { ...near, bidSpread: "5%", askSpread: "5%" };
  const second = await world.start({
    strategies: strategies.map((strategy) => ({
      ...strategy,
      params: strategy.definition.params.parse(far),
      writtenParams: far,
    })),
  });
  await world.clock.runFor(20_000);
  await stopped(world, second);
  mkdirSync(folder);
  for (const name of world.store.list("journal")) {
    const bytes = world.store.read(`journal/${name}`) ?? new Uint8Array();
    writeFileSync(path.join(folder, name), bytes);
  }
});

afterAll(() => rmSync(home, { recursive: true }));

describe("touchline parity", () => {
  test("takes the last run with fills, also with several markets, and tells of the gap", async () => {
    const orders = path.join(home, "orders.csv");
    const { code, events, err } = await runLine(["parity", folder, ...quick, "--orders", orders]);
    expect(err).toContain("lost market data");
    expect(code).toBe(0);
    const [model, last, ...more] = events;
    expect(more).toEqual([]);
    expect(model).toMatchObject({
      event: "parity.model",
      queue: "risk-averse",
      latency: "0ms",
      pnlError: expect.any(Number),
      orders: { matched: expect.any(Number) },
    });
    expect(last).toMatchObject({
      event: "parity",
      run: 1,
      decisions: "recorded",
      live: { fills: expect.any(Number), pnl: null },
      best: { queue: "risk-averse", latency: "0ms" },
      decidedAgain: { latency: "0ms" },
      alike: { queues: ["risk-averse"], latencies: ["0ms"] },
      warnings: expect.arrayContaining([expect.stringContaining("lost market data 1 time;")]),
    });
    const [head, ...rows] = readFileSync(orders, "utf8").trim().split("\n");
    expect(head).toMatch(/^found,strategy,market,side,price,liveMs,replayMs,/);
    expect(rows.some((row) => row.startsWith("both,eth,1_2,"))).toBe(true);
    expect(rows.some((row) => row.startsWith("both,btc,3_2,"))).toBe(true);
  });

  test("says that nothing can be said of a run without fills, with exit code 1", async () => {
    const { code, events } = await runLine(["parity", folder, "--run", "2", ...quick]);
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({
      event: "parity",
      run: 2,
      live: { fills: 0 },
      best: null,
    });
    const { out } = await runLine(["parity", folder, "--run", "2", ...quick.slice(0, 4)]);
    expect(out).toContain("nothing can be said");
  });

  test("prints the table and the verdict for people", async () => {
    const { code, out } = await runLine(["parity", folder, ...quick.slice(0, 4)]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Parity {2}run 1, /);
    expect(out).toContain("risk-averse, strategies decide again");
    expect(out).toMatch(/Best: risk-averse, 0ms, score \d\.\d{3}, from \d+ fills\./);
  });

  test.each([
    ["--queue", "fifo"],
    ["--latency", "soon"],
    ["--latency", "trace(file.csv)"],
    ["--run", "3"],
  ])("refuses %s %s as a usage error", async (option, value) => {
    expect(await runLine(["parity", folder, option, value])).toMatchObject({ code: 2 });
  });

  test("reads a journal whose last entry is torn", async () => {
    const torn = path.join(home, "torn");
    mkdirSync(torn);
    const bytes = readFileSync(path.join(folder, "000001.journal"));
    writeFileSync(path.join(torn, "000001.journal"), bytes);
    truncateSync(path.join(torn, "000001.journal"), bytes.length - 5_000);
    const { code, events } = await runLine(["parity", torn, ...quick]);
    expect(code).toBe(0);
    expect(events.at(-1)).toMatchObject({ event: "parity", run: 1 });
  });

  test("reports a folder without a journal", async () => {
    const { code, err } = await runLine(["parity", path.join(home, "nothing")]);
    expect([code, err]).toEqual([1, expect.stringContaining("There is no journal")]);
  });
});
