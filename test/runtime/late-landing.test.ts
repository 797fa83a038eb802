import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { TransportError } from "../../src/base/error.ts";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { type StrategyDefinition } from "../../src/strategy/contract.ts";
import { liveWorld, stopped, type World } from "./live-world.ts";

const wide = {
  bidSpread: "3%",
  askSpread: "3%",
  size: "0.5",
  levels: 1,
  refresh: "10s",
  tolerance: "1%",
};

/** A world whose first placement is held by a proxy: its client times out, and the bytes reach the venue `lateMs` after they were sent. */
async function lateWorld(
  lateMs: number,
  definition?: StrategyDefinition,
): Promise<World & { startBot(): Promise<Bot>; slow(byMs: number): void }> {
  const world = await liveWorld(5);
  const { http, clock } = world.ports;
  let slowMs = 0;
  let isHeld = false;
  const proxy: World["ports"]["http"] = {
    ...http,
    close: () => http.close(),
    request(request) {
      const isPlacement = request.url.endsWith("/api/v1/order") && request.method === "POST";
      if (isHeld || !isPlacement) return http.request(request);
      isHeld = true;
      world.clock.after(lateMs, () => void http.request(request).catch(() => undefined));
      return new Promise((_, reject) => {
        world.clock.after(request.timeoutMs, () => {
          reject(new TransportError("unknown", "HTTP_TIMEOUT", "no response"));
        });
      });
    },
  };
  const [maker] = world.settings.strategies;
  if (maker === undefined) throw new Error("a strategy in the settings");
  const settings: LiveSettings = {
    ...world.settings,
    risk: riskSchema.parse({ maxPosition: "0.5" }),
    strategies: [
      definition === undefined
        ? { ...maker, params: pureMarketMaking.params.parse(wide), writtenParams: wide }
        : { ...maker, definition, params: {}, writtenParams: {} },
    ],
  };
  return {
    ...world,
    startBot: () =>
      world.settle(
        startLive(settings, {
          ...world.ports,
          http: proxy,
          clock: {
            nowMs: () => unixMs(clock.nowMs() + slowMs),
            monotonicUs: () => clock.monotonicUs() + slowMs * 1000,
          },
        }),
      ),
    // From now on the bot's timers fire that much earlier than its clock says.
    slow(byMs) {
      slowMs -= byMs;
    },
  };
}

/** Base token that rests at the venue on one side. */
function resting(world: World, bot: Bot, side: "BUY" | "SELL"): number {
  return world
    .openOrders(bot)
    .filter((order) => order.side === side)
    .reduce((sum, { origQty }) => sum + fixedToNumber(origQty), 0);
}

describe("a placement that timed out and lands late", () => {
  test.each([12_000, 20_000, 55_000])(
    "%d ms after it was sent, never rests beside another order for the same quote",
    async (lateMs) => {
      const world = await lateWorld(lateMs);
      const bot = await world.startBot();
      let most = 0;
      for (let ms = 0; ms < 90_000; ms += 100) {
        await world.clock.runFor(100);
        most = Math.max(most, resting(world, bot, "BUY"), resting(world, bot, "SELL"));
      }
      expect(most).toBe(0.5);
      expect((await stopped(world, bot)).ok).toBe(true);
    },
  );

  test("is named by a stop that cannot wait for it, which is no good end", async () => {
    const world = await lateWorld(40_000);
    const bot = await world.startBot();
    await world.clock.runFor(20_000);
    bot.stop();
    await world.clock.runFor(1_000);
    // In a process the kernel's time limit starts with its next step, a little after the signal.
    world.slow(5);
    const end = await world.settle(bot.done);
    expect(world.openOrders(bot)).toHaveLength(0);
    await world.clock.runFor(60_000);
    const [late] = world.openOrders(bot);
    expect(end.ok).toBe(false);
    expect(end.inQuestion).toEqual([late?.orderId]);
    expect(end.reason).toContain("may still be placed");
  });

  test("does not spoil a stop a minute later, when it can no longer be placed", async () => {
    const world = await lateWorld(24 * 3_600_000);
    const bot = await world.startBot();
    await world.clock.runFor(75_000);
    expect(await stopped(world, bot)).toMatchObject({
      ok: true,
      inQuestion: [],
      summary: { ordersLeft: 0 },
    });
  });

  test("is canceled by the next run, which knows it from the journal", async () => {
    const world = await lateWorld(40_000);
    const first = await world.startBot();
    await world.clock.runFor(20_000);
    await stopped(world, first);
    await world.clock.runFor(60_000);
    const [late] = world.openOrders(first);
    const second = await world.startBot();
    const codes: string[] = [];
    second.observers.on(({ notes }) => {
      for (const note of notes) if (note.type === "warning") codes.push(note.code);
    });
    await world.clock.runFor(20_000);
    expect(await stopped(world, second)).toMatchObject({ ok: true, inQuestion: [] });
    expect(late).toBeDefined();
    expect(world.openOrders(second)).toEqual([]);
    expect(codes).not.toContain("FOREIGN_ORDERS");
  });
});
