import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { unixMs } from "../../src/domain/time.ts";
import { restore } from "../../src/journal/restore.ts";
import type { CarriedBaseline, CarriedRisk } from "../../src/orders/carried.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { LivePorts } from "../../src/runtime/live-settings.ts";
import { liveWorld, type World } from "./live-world.ts";

const HOUR_MS = 3_600_000;
/** The day of the virtual clock's start, 22:13:20 UTC, since 1970. */
const TODAY = 19_675;
/** Every fill loses half a hundredth of a percent. */
const busy = {
  synthetic: { prices: { "1_2": 100 }, levels: 3, takerEveryMs: 100, takerNotional: 300 },
};
const written = { bidSpread: "0.01%", askSpread: "0.01%", size: "0.5", levels: 1 };

/** A machine whose clock shows the venue's time and `aheadMs` more. */
function machine({ clock, venueClock }: World, aheadMs: number): Clock {
  return {
    nowMs: () => unixMs(clock.nowMs() + venueClock.skewMs + aheadMs),
    monotonicUs: () => clock.monotonicUs(),
  };
}

async function started(world: World, ports: Partial<LivePorts>) {
  const params = pureMarketMaking.params.parse(written);
  const strategies = world.settings.strategies.map((one) => ({
    ...one,
    params,
    writtenParams: written,
  }));
  const risk = riskSchema.parse({ triggers: { dayLoss: { warn: "1000" } } });
  return world.startProcess({ risk, strategies }, ports);
}

/** Runs a bot for a while and kills it. Returns from where the journal counts the day's loss. */
async function dayOf(world: World, aheadMs: number, forMs = 8_000): Promise<CarriedBaseline> {
  const { kill } = await started(world, { clock: machine(world, aheadMs) });
  await world.clock.runFor(forMs);
  kill();
  await world.clock.runFor(1_000);
  const { carried } = restore(world.store, "journal").restored;
  const risk = carried.find((item): item is CarriedRisk => item.type === "risk");
  if (risk?.baseline === undefined) throw new Error("no loss of the day in the journal");
  return risk.baseline;
}

describe("the start of the day's loss", () => {
  test("stays over restarts within a day", async () => {
    const world = await liveWorld(3, { flow: busy });
    const first = await dayOf(world, 0);
    expect(first.day).toBe(TODAY);
    expect(await dayOf(world, 0)).toMatchObject({ day: TODAY, dayStart: first.dayStart });
  });

  test.each([
    ["while the bot runs", -10_000],
    ["between two runs", -25_000],
  ])("moves at midnight UTC %s", async (_, fromMidnightMs) => {
    const world = await liveWorld(3, { flow: busy });
    const midnightMs = (TODAY + 1) * 24 * HOUR_MS;
    world.venueClock.skewMs = midnightMs + fromMidnightMs - 1_000 - world.clock.nowMs();
    const first = await dayOf(world, 0, fromMidnightMs === -10_000 ? 9_000 : 20_000);
    expect(first.day).toBe(TODAY);
    await world.clock.runFor(5_000);
    const second = await dayOf(world, 0);
    expect(second.day).toBe(TODAY + 1);
    expect(second.dayStart).not.toBe(first.dayStart);
  });

  test.each([1, -1])(
    "follows the venue's day when the machine's clock is off by %i h",
    async (hours) => {
      const world = await liveWorld(3, { flow: busy });
      world.venueClock.skewMs = hours === 1 ? HOUR_MS : 2 * HOUR_MS;
      const day = hours === 1 ? TODAY : TODAY + 1;
      const first = await dayOf(world, 0);
      expect(first.day).toBe(day);
      const { dayStart } = first;
      expect(await dayOf(world, hours * HOUR_MS)).toMatchObject({ day, dayStart });
      expect(await dayOf(world, 0)).toMatchObject({ day, dayStart });
    },
  );
});
