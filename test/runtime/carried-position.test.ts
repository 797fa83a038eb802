import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import { restore } from "../../src/journal/restore.ts";
import type { CarriedPosition } from "../../src/orders/carried.ts";
import { Position } from "../../src/orders/position.ts";
import { tokensOf } from "../../src/domain/ids.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

const market = "1_2" as MarketId;
/** Sellers come often and meet every bid near the mid. */
const busy = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } };
const eager = { bidSpread: "0.01%", askSpread: "5%", size: "0.5", sides: "bids", levels: 1 };

interface Run {
  readonly bot: Bot;
  readonly fills: readonly Fill[];
  readonly warnings: readonly string[];
  /** As `kill -9`. */
  kill(): void;
}

/** Starts a bot in a process of its own. */
async function started(world: World, settings: Partial<LiveSettings> = {}): Promise<Run> {
  const { clock, ports } = world;
  const { http, connector } = ports;
  const process = new VirtualProcess({ timer: clock, http, connector });
  const own = {
    ...ports,
    timer: process.timer,
    http: process.http,
    connector: process.connector,
    log: { ...ports.log, warn: (_: unknown, text: string) => void warnings.push(text) },
  };
  const fills: Fill[] = [];
  const warnings: string[] = [];
  const [maker] = world.settings.strategies;
  if (maker === undefined) throw new Error("a strategy in the settings");
  const bot = await world.settle(
    startLive(
      {
        ...world.settings,
        risk: riskSchema.parse({ maxPosition: "0.5" }),
        strategies: [
          { ...maker, params: pureMarketMaking.params.parse(eager), writtenParams: eager },
        ],
        ...settings,
      },
      own,
    ),
  );
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "fill") fills.push(note.fill);
  });
  return {
    bot,
    fills,
    warnings,
    kill() {
      bot.observers.flush();
      process.kill();
      world.store.killed();
    },
  };
}

function carriedPosition(world: World, strategy = "maker"): CarriedPosition | undefined {
  const { carried } = restore(world.store, "journal").restored;
  return carried.find(
    (item): item is CarriedPosition => item.type === "position" && item.strategy === strategy,
  );
}

/** The position that these fills make. */
function positionOf(fills: readonly Fill[]): Position {
  const { base, quote } = tokensOf(market);
  const position = new Position({ marketId: market, baseToken: base, quoteToken: quote });
  for (const fill of fills) position.apply(fill);
  return position;
}

describe("a position", () => {
  test("is the sum of all fills after kills at any time, those of the time between two runs included", async () => {
    const world = await liveWorld(9, { flow: busy });
    const fills: Fill[] = [];
    const both = { bidSpread: "0.01%", askSpread: "0.01%", size: "0.5", levels: 2 };
    const strategies = world.settings.strategies.map((one) => ({
      ...one,
      params: pureMarketMaking.params.parse(both),
      writtenParams: both,
    }));
    for (let count = 1; count <= 6; count += 1) {
      const run = await started(world, { strategies, risk: riskSchema.parse({}) });
      await world.clock.runFor(3_000 + count * 777);
      run.kill();
      fills.push(...run.fills);
      // Its orders rest at the venue and are filled while nobody looks.
      await world.clock.runFor(2_500);
    }
    const last = await started(world, { strategies, risk: riskSchema.parse({}) });
    await world.clock.runFor(2_000);
    const end = await stopped(world, last.bot);
    fills.push(...last.fills);
    const all = world.venue.exchange.userTrades(last.bot.owner, {
      fromMs: 0,
      toMs: 2e12,
      limit: 100_000,
    });
    expect(fills.length).toBe(all.length);
    const expected = positionOf(fills);
    expect(carriedPosition(world)).toMatchObject(expected.saved());
    expect(end.summary.position).toMatchObject({
      base: expected.saved().base,
      realisedPnl: expected.realisedPnl.toDecimalPlaces(18).toFixed(),
    });
    expect(end.summary.fills).toBe(last.fills.length);
    await expectVerified(world);
  });

  test("of a strategy that is gone from the configuration is kept, named and still counts", async () => {
    const world = await liveWorld(4, { flow: busy });
    const first = await started(world);
    await world.clock.runFor(30_000);
    await stopped(world, first.bot);
    const left = carriedPosition(world);
    const renamed = world.settings.strategies.map((one) => ({
      ...one,
      name: "other",
      params: pureMarketMaking.params.parse(eager),
      writtenParams: eager,
    }));
    const second = await started(world, { strategies: renamed });
    await world.clock.runFor(30_000);
    const end = await stopped(world, second.bot);
    expect(left?.base).toMatch(/^0\.49/);
    expect(second.fills.length).toBe(0);
    expect(end.summary.position).toMatchObject({ base: "0" });
    expect(carriedPosition(world)).toEqual(left);
    expect(second.warnings.join("\n")).toContain("of maker in 1_2, which is not in the config");
  });
});

test("a pause survives a restart until the operator resumes", async () => {
  const world = await liveWorld(4);
  const calm = { strategies: world.settings.strategies, risk: riskSchema.parse({}) };
  const first = await started(world, calm);
  await world.clock.runFor(5_000);
  first.bot.pause();
  await world.clock.runFor(5_000);
  first.kill();
  const second = await started(world, calm);
  await world.clock.runFor(10_000);
  expect(world.openOrders(second.bot)).toEqual([]);
  expect(second.warnings.join()).toContain("paused since an earlier run");
  second.bot.resume();
  await world.clock.runFor(5_000);
  expect(world.openOrders(second.bot)).not.toEqual([]);
  second.kill();
  const third = await started(world, calm);
  await world.clock.runFor(5_000);
  expect(world.openOrders(third.bot)).not.toEqual([]);
  await stopped(world, third.bot);
});

test("the journal of another account is refused while it holds a position", async () => {
  const world = await liveWorld(4, { flow: busy });
  const first = await started(world);
  await world.clock.runFor(30_000);
  await stopped(world, first.bot);
  const signer = world.crypto.signer(new Uint8Array(32).fill(9));
  const other = { ...world, ports: { ...world.ports, signer } };
  await expect(started(other)).rejects.toMatchObject({ code: "JOURNAL_OF_ANOTHER" });
});
