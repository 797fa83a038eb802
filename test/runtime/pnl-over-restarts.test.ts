import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { restore } from "../../src/journal/restore.ts";
import { positionFigures } from "../../src/metrics/position-figures.ts";
import type { CarriedPosition } from "../../src/orders/carried.ts";
import { PositionBook } from "../../src/orders/position-book.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** The PnL that the page, the summary and the journal (`position show`) have, over restarts with an open position. */

const busy = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } };
const written = { bidSpread: "0.01%", askSpread: "0.05%", size: "0.5", levels: 1 };
const driver = {
  latency: { tickToOrderP50Us: null, tickToOrderP99Us: null },
  calls: [],
  sources: [],
  missed: 0,
  nets: [],
  uptimes: new Map(),
  described: new Map(),
  standstills: new Map(),
};

async function started(world: World) {
  const params = pureMarketMaking.params.parse(written);
  const strategies = world.settings.strategies.map((one) => ({
    ...one,
    params,
    writtenParams: written,
  }));
  // A clock that shows the venue's time, so that a test can skip to the next day.
  const clock = {
    nowMs: () => unixMs(world.clock.nowMs() + world.venueClock.skewMs),
    monotonicUs: () => world.clock.monotonicUs(),
  };
  const { bot, kill } = await world.startProcess({ strategies }, { clock });
  const [market] = bot.markets;
  if (market === undefined) throw new Error("a market of the bot");
  const fold = new DashboardFold([{ strategy: "maker", market }], 20);
  bot.observers.on((entry) => fold.observe(entry));
  const panel = () => {
    bot.observers.flush();
    const [shown] = fold.snapshot(driver, 0).panels;
    if (shown === undefined) throw new Error("a panel");
    return shown;
  };
  return { bot, kill, panel };
}

/** Base and quote token that all fills of the account have brought, by the venue's list of them. */
function traded(world: World, bot: Bot): { readonly base: number; readonly quote: number } {
  const filter = { fromMs: 0, toMs: 2e13, limit: 100_000 } as const;
  let [base, quote] = [0, 0];
  for (const fill of world.venue.exchange.userTrades(bot.owner, filter)) {
    const { side, price, quantity, fee, feeToken } = fill;
    const sign = side === "BUY" ? 1 : -1;
    base += sign * fixedToNumber(quantity) - (feeToken === "1" ? fixedToNumber(fee) : 0);
    quote -= sign * fixedToNumber(price) * fixedToNumber(quantity);
    quote -= feeToken === "2" ? fixedToNumber(fee) : 0;
  }
  return { base, quote };
}

/** As `position show` reads it. */
function carried(world: World): CarriedPosition {
  const { carried: items } = restore(world.store, "journal").restored;
  const found = items.find((item) => item.type === "position");
  if (found === undefined) throw new Error("a position in the journal");
  return found;
}

function shownOf(position: CarriedPosition, mid: number | null) {
  const book = new PositionBook();
  book.restore(position);
  return positionFigures(book.all(), mid ?? undefined);
}

describe.each(["kill -9", "an ordinary stop"])("after a restart that follows %s", (how) => {
  test("PnL includes what the carried position has won or lost", async () => {
    const world = await liveWorld(3, { flow: busy });
    const first = await started(world);
    await world.clock.runFor(15_000);
    if (how === "kill -9") first.kill();
    else {
      const { summary } = await stopped(world, first.bot);
      const page = first.panel();
      expect(page.position).toEqual(summary.position);
      expect(shownOf(carried(world), page.book.mid)).toEqual(summary.position);
    }
    // The price moves on while the bot is away.
    await world.clock.runFor(30_000);
    const second = await started(world);
    await world.clock.runFor(10_000);

    const page = second.panel();
    const { base, quote } = traded(world, second.bot);
    const byHand = quote + base * (page.book.mid ?? Number.NaN);
    expect(Math.abs(base)).toBeGreaterThan(0.1);
    expect(Number(page.position.base)).toBeCloseTo(base, 9);
    expect(Number(page.position.totalPnl)).toBeCloseTo(byHand, 9);
    // Nothing was held when the day of the first run began.
    expect(page.position.dayPnl).toBe(page.position.totalPnl);
    expect(page.run.pnl).not.toBe(page.position.totalPnl);
    expect(shownOf(carried(world), page.book.mid)).toEqual(page.position);

    const { summary } = await stopped(world, second.bot);
    expect(second.panel().position).toEqual(summary.position);
    expect(shownOf(carried(world), second.panel().book.mid)).toEqual(summary.position);
    expect(Number(summary.realisedPnl) + Number(summary.unrealisedPnl)).toBeCloseTo(
      Number(second.panel().run.pnl),
      9,
    );
    await expectVerified(world);
  });

  test("the PnL of a new day begins at its first valuation", async () => {
    const world = await liveWorld(3, { flow: busy });
    const first = await started(world);
    await world.clock.runFor(15_000);
    if (how === "kill -9") first.kill();
    else await stopped(world, first.bot);
    await world.clock.runFor(15_000);
    world.venueClock.skewMs = 2 * 3_600_000;
    const second = await started(world);
    await world.clock.runFor(10_000);
    const { position, book } = second.panel();
    const { day, dayStart } = carried(world);
    expect(day).toBe(19_676);
    const { base, quote } = traded(world, second.bot);
    const byHand = quote + base * (book.mid ?? Number.NaN) - Number(dayStart);
    expect(Number(position.dayPnl)).toBeCloseTo(byHand, 9);
    expect(position.dayPnl).not.toBe(position.totalPnl);
    const { summary } = await stopped(world, second.bot);
    expect(second.panel().position).toEqual(summary.position);
  });
});
