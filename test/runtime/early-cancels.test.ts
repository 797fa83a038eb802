import { describe, expect, it } from "vitest";
import type { MarketId } from "../../src/domain/ids.ts";
import type { Http, HttpResponse } from "../../src/ports/http.ts";
import { transactionOf } from "../../src/sim/seen-transaction.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A bot that was killed, and starts again while the venue does not give it the markets. */

const limited: HttpResponse = {
  status: 429,
  headers: { "retry-after": "3600" },
  body: new TextEncoder().encode("<html>429</html>"),
};

/** HTTP whose market lists are refused as long as `isOut` says so; counts the commands. */
function withoutMarkets(http: Http) {
  const proxy = { isOut: true, commands: 0 };
  const wrapped: Http = {
    close: () => http.close(),
    request: async (request) => {
      if (request.method === "POST") proxy.commands += 1;
      return proxy.isOut && request.url.endsWith("/market") ? limited : http.request(request);
    },
  };
  return { proxy, http: wrapped };
}

/** HTTP that also refuses commands as long as `isOut` says so; `signed` has the bytes of each nonce. */
function withoutCommands({ ports, crypto }: World) {
  const { proxy, http } = withoutMarkets(ports.http);
  const signed = new Map<number, Set<string>>();
  const seen: Http = {
    close: () => http.close(),
    request: async (request) => {
      const transaction = transactionOf(request, { chainId: 1001, crypto });
      if (transaction !== undefined) {
        const { nonce, bytesHex } = transaction;
        signed.set(nonce, (signed.get(nonce) ?? new Set()).add(bytesHex));
      }
      return request.method === "POST" && proxy.isOut ? limited : http.request(request);
    },
  };
  const givenTwice = () => [...signed.values()].filter(({ size }) => size > 1);
  return { proxy, http: seen, signed, givenTwice };
}

async function killedWorld(): Promise<{ readonly world: World; readonly first: Bot }> {
  const world = await liveWorld(61);
  const { bot, kill } = await world.startProcess();
  await world.clock.runFor(20_000);
  kill();
  expect(world.openOrders(bot).length).toBeGreaterThan(0);
  return { world, first: bot };
}

/** Of two starts that fail, the one after ten seconds without a bot cancels what the killed run left. */
async function expectSecondCancels(
  { world, first }: { readonly world: World; readonly first: Bot },
  fails: () => Promise<void>,
): Promise<void> {
  await world.clock.runFor(2_000);
  await fails();
  expect(world.openOrders(first).length).toBeGreaterThan(0);
  await world.clock.runFor(9_000);
  await fails();
  expect(world.openOrders(first)).toEqual([]);
}

describe("a start that the venue keeps waiting for a minute", () => {
  it("cancels the orders of the earlier run after ten seconds, and then quotes", async () => {
    const { world, first } = await killedWorld();
    const { proxy, http } = withoutMarkets(world.ports.http);
    const starting = startLive(world.settings, { ...world.ports, http });
    await world.clock.runFor(9_000);
    expect(world.openOrders(first).length).toBeGreaterThan(0);
    expect(proxy.commands).toBe(0);
    await world.clock.runFor(4_000);
    expect(world.openOrders(first)).toEqual([]);
    proxy.isOut = false;
    const bot = await world.settle(starting);
    await world.clock.runFor(30_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    await expectVerified(world);
  });

  it("uses none of those nonces again, whenever it ends", async () => {
    const { world } = await killedWorld();
    const { proxy, http } = withoutMarkets(world.ports.http);
    const nonces: string[] = [];
    const seen: Http = {
      close: () => http.close(),
      request: (request) => {
        if (request.body !== undefined) nonces.push(request.body);
        return http.request(request);
      },
    };
    // Cancels get no answer that anybody believes, so they go on and on.
    const deaf: Http = {
      close: () => seen.close(),
      request: async (request) => {
        const response = await seen.request(request);
        return proxy.isOut ? limited : response;
      },
    };
    const starting = startLive(world.settings, { ...world.ports, http: deaf });
    await world.clock.runFor(30_000);
    expect(nonces.length).toBeGreaterThan(10);
    proxy.isOut = false;
    const bot = await world.settle(starting);
    await world.clock.runFor(30_000);
    await stopped(world, bot);
    expect(new Set(nonces).size).toBe(nonces.length);
    await expectVerified(world);
  });

  it.each([3_000, 5_000, 6_000])(
    "signs no two commands with one nonce when the disk is full after %d bytes of its cancels",
    async (roomBytes) => {
      const { world } = await killedWorld();
      const { proxy, http, signed, givenTwice } = withoutCommands(world);
      // The journal's nonces are too old by now, so all cancels go by the clock.
      await world.clock.runFor(40_000);
      world.store.roomBytes = roomBytes;
      const starting = startLive(world.settings, { ...world.ports, http });
      await world.clock.runFor(13_000);
      expect(signed.size).toBeGreaterThan(10);
      proxy.isOut = false;
      world.store.roomBytes = Number.POSITIVE_INFINITY;
      const bot = await world.settle(starting);
      await world.clock.runFor(3_000);
      await stopped(world, bot);
      expect(givenTwice()).toHaveLength(0);
    },
  );

  it("cancels nothing when the markets come in time", async () => {
    const { world, first } = await killedWorld();
    const { proxy, http } = withoutMarkets(world.ports.http);
    const starting = startLive(world.settings, { ...world.ports, http });
    proxy.isOut = false;
    await world.settle(starting);
    expect(proxy.commands).toBe(0);
    expect(world.openOrders(first).length).toBeGreaterThan(0);
  });
});

describe("starts that fail again and again", () => {
  /** HTTP whose market lists are no lists, so each start fails at once. */
  const unreadable = (http: Http): Http => ({
    close: () => http.close(),
    request: async (request) =>
      request.url.endsWith("/market")
        ? { status: 404, headers: {}, body: new TextEncoder().encode("<html>404</html>") }
        : http.request(request),
  });

  it("cancel the orders of the earlier run once nobody has managed them for ten seconds", async () => {
    const { world, first } = await killedWorld();
    const http = unreadable(world.ports.http);
    const fails = async (): Promise<void> => {
      const failed = startLive(world.settings, { ...world.ports, http }).catch(() => "failed");
      expect(await world.settle(failed)).toBe("failed");
    };
    await expectSecondCancels({ world, first }, fails);
    const bot = await world.start();
    await world.clock.runFor(30_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    await expectVerified(world);
  });

  it.each([
    { cause: "the disk is full", roomBytes: 0, marketId: undefined },
    { cause: "a market is not listed", roomBytes: Number.POSITIVE_INFINITY, marketId: "7_8" },
  ])("do so, too, when the venue answers and $cause", async ({ roomBytes, marketId }) => {
    const { world, first } = await killedWorld();
    const strategies = world.settings.strategies.map((strategy) =>
      marketId === undefined ? strategy : { ...strategy, marketId: marketId as MarketId },
    );
    const settings = { ...world.settings, strategies };
    const fails = async (): Promise<void> => {
      const failed = startLive(settings, world.ports).catch(() => "failed");
      expect(await world.settle(failed)).toBe("failed");
    };
    world.store.roomBytes = roomBytes;
    await expectSecondCancels({ world, first }, fails);
    world.store.roomBytes = Number.POSITIVE_INFINITY;
    const bot = await world.start();
    await world.clock.runFor(30_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    await expectVerified(world);
  });
});

it("starts that fail one after the other keep to the rate limit together", async () => {
  const { world, first } = await killedWorld();
  await world.clock.runFor(10_000);
  world.store.roomBytes = 0;
  const rateLimit = { perSecond: 2, burst: 10, concurrency: 8 };
  const sentMs: number[] = [];
  const http: Http = {
    close: () => world.ports.http.close(),
    request: (request) => {
      sentMs.push(world.clock.elapsedMs);
      return world.ports.http.request(request);
    },
  };
  for (let starts = 0; starts < 4; starts += 1) {
    const starting = startLive({ ...world.settings, rateLimit }, { ...world.ports, http });
    await expect(world.settle(starting)).rejects.toThrow("The disk is full.");
    await world.clock.runFor(1_000);
  }
  expect(world.openOrders(first)).toEqual([]);
  expect(sentMs.length).toBeGreaterThan(rateLimit.burst);
  for (const [from, fromMs] of sentMs.entries()) {
    for (const [to, toMs] of sentMs.entries()) {
      const allowed = rateLimit.burst + (rateLimit.perSecond * (toMs - fromMs)) / 1000;
      if (to >= from) expect(to - from + 1).toBeLessThanOrEqual(Math.ceil(allowed));
    }
  }
});
