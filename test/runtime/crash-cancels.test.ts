import { describe, expect, test } from "vitest";
import type { Http } from "../../src/ports/http.ts";
import type { Signer } from "../../src/ports/crypto.ts";
import type { NetworkFaults } from "../../src/sim/network-faults.ts";
import { restore } from "../../src/journal/restore.ts";
import { liveWorld, type World } from "./live-world.ts";

/** A bot whose signer fails once, which is a bug of the program: the run ends and cancels what it left open. */

interface Crash {
  isDue: boolean;
  /** Requests after the crash by path; a path may be answered by the test. */
  readonly requests: string[];
  answer(
    path: string,
  ): { status: number; code: number; errMsg: string; result?: unknown } | undefined;
}

function crashing(world: World): {
  readonly crash: Crash;
  readonly ports: { readonly http: Http; readonly signer: Signer };
} {
  const crash: Crash = { isDue: false, requests: [], answer: () => undefined };
  let hasCrashed = false;
  const { http, signer } = world.ports;
  return {
    crash,
    ports: {
      signer: {
        address: signer.address,
        sign(digest) {
          if (!crash.isDue) return signer.sign(digest);
          crash.isDue = false;
          hasCrashed = true;
          throw new Error("a bug");
        },
      },
      http: {
        close: () => http.close(),
        async request(request) {
          if (!hasCrashed) return http.request(request);
          const path = new URL(request.url).pathname;
          crash.requests.push(path);
          const answer = crash.answer(path);
          if (answer === undefined) return http.request(request);
          const { status, ...envelope } = answer;
          const body = new TextEncoder().encode(JSON.stringify({ result: null, ...envelope }));
          return { status, headers: {}, body };
        },
      },
    },
  };
}

const busy = { status: 503, code: 503, errMsg: "busy" };
const invalid = { status: 400, code: 400, errMsg: "invalid nonce" };

describe("after a crash own orders are canceled", () => {
  for (const timeFails of [false, true]) {
    test(`with the machine's clock 5 min off and /time ${timeFails ? "failing" : "answering"}`, async () => {
      const world = await liveWorld(51);
      world.venueClock.skewMs = 300_000;
      const { crash, ports } = crashing(world);
      const bot = await world.start({}, ports);
      await world.clock.runFor(10_000);
      expect(world.openOrders(bot)).toHaveLength(4);
      if (timeFails) crash.answer = (path) => (path === "/time" ? busy : undefined);
      crash.isDue = true;
      const end = await world.settle(bot.done);
      expect(end.reason).toContain("a bug");
      expect(world.openOrders(bot)).toEqual([]);
      expect(end).toMatchObject({ ok: false, inQuestion: [] });
    });
  }

  test.each([
    ["no connection can be made", (faults: NetworkFaults) => (faults.refuse = true), 0, 13_000],
    ["no request arrives", (faults: NetworkFaults) => (faults.loseRequest = 1), 0, 13_000],
    ["the bug comes late", (faults: NetworkFaults) => (faults.refuse = true), 9_000, 15_000],
  ])(
    "within the limit of a stop, also when %s, and are named then",
    async (_, fail, bugMs, limitMs) => {
      const world = await liveWorld(51);
      const { crash, ports } = crashing(world);
      const bot = await world.start({}, ports);
      await world.clock.runFor(10_000);
      const resting = world.openOrders(bot).map(({ orderId }) => orderId);
      expect(resting).toHaveLength(4);
      fail(world.network.faults);
      crash.isDue = bugMs === 0;
      const stoppedMs = world.clock.nowMs();
      bot.stop();
      await world.clock.runFor(bugMs);
      crash.isDue ||= bugMs > 0;
      const end = await world.settle(bot.done);
      expect(end.reason).toContain("a bug");
      expect([...end.inQuestion].sort()).toEqual([...resting].sort());
      expect(world.clock.nowMs() - stoppedMs).toBeLessThanOrEqual(limitMs);
      const { length } = crash.requests;
      await world.clock.runFor(30_000);
      expect(crash.requests).toHaveLength(length);
    },
  );

  test("within the limit of a stop, also when the rate does not suffice for all of them", async () => {
    const world = await liveWorld(51);
    const { crash, ports } = crashing(world);
    const rateLimit = { perSecond: 5, burst: 10, concurrency: 8 };
    const strategies = world.settings.strategies.map((one) => {
      const params = { ...Object(one.writtenParams), levels: 25, tolerance: "5%" };
      return { ...one, params: one.definition.params.parse(params), writtenParams: params };
    });
    const bot = await world.start({ rateLimit, strategies }, ports);
    await world.clock.runFor(60_000);
    expect(world.openOrders(bot)).toHaveLength(50);
    crash.isDue = true;
    const stoppedMs = world.clock.nowMs();
    bot.stop();
    const end = await world.settle(bot.done);
    expect(end.reason).toContain("a bug");
    expect(world.clock.nowMs() - stoppedMs).toBeLessThanOrEqual(13_000);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open.length).toBeLessThan(15);
    expect(end.inQuestion).toEqual(expect.arrayContaining(open));
    const { length } = crash.requests;
    await world.clock.runFor(30_000);
    expect(crash.requests).toHaveLength(length);
  });

  test("although the first of their nonces was used before", async () => {
    const world = await liveWorld(53);
    const { crash, ports } = crashing(world);
    const bot = await world.start({}, ports);
    await world.clock.runFor(10_000);
    let refusals = 0;
    crash.answer = (path) => {
      if (!path.endsWith("/order/cancel") || refusals === 4) return undefined;
      refusals += 1;
      return { status: 409, code: 409, errMsg: "nonce already used" };
    };
    crash.isDue = true;
    const end = await world.settle(bot.done);
    expect(refusals).toBe(4);
    expect(world.openOrders(bot)).toEqual([]);
    expect(end.inQuestion).toEqual([]);
  });
});

test("after a crash with a full disk own orders are canceled, too", async () => {
  const world = await liveWorld(51);
  const { crash, ports } = crashing(world);
  const bot = await world.start({}, ports);
  await world.clock.runFor(10_000);
  expect(world.openOrders(bot)).toHaveLength(4);
  world.store.roomBytes = 0;
  crash.isDue = true;
  const end = await world.settle(bot.done);
  expect(end).toMatchObject({ ok: false, inQuestion: [] });
  expect(world.openOrders(bot)).toEqual([]);
});

describe("after a crash an order is named as in question", () => {
  test("while its cancels are refused as invalid", async () => {
    const world = await liveWorld(54);
    const { crash, ports } = crashing(world);
    const bot = await world.start({}, ports);
    await world.clock.runFor(10_000);
    crash.answer = (path) => (path.endsWith("/order/cancel") ? invalid : undefined);
    crash.isDue = true;
    const end = await world.settle(bot.done);
    expect(end.ok).toBe(false);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open.length).toBeGreaterThan(0);
    expect([...end.inQuestion].sort()).toEqual([...open].sort());
    const sent = crash.requests.filter((path) => path.endsWith("/order/cancel"));
    expect(sent.length).toBeGreaterThan(8);
  });

  test("when the venue accepts its cancel but cannot be queried", async () => {
    const world = await liveWorld(55);
    const { crash, ports } = crashing(world);
    const bot = await world.start({}, ports);
    await world.clock.runFor(10_000);
    crash.answer = (path) => (path.startsWith("/api/v1/order/0x") ? busy : undefined);
    const left = restore(world.store, "journal").restored.orders.map(({ orderId }) => orderId);
    crash.isDue = true;
    const end = await world.settle(bot.done);
    expect(world.openOrders(bot)).toEqual([]);
    expect(end.ok).toBe(false);
    expect(end.inQuestion).toEqual(expect.arrayContaining(left));
  });
});

test("a dry run that crashes sends nothing and leaves the orders of the run before alone", async () => {
  const world = await liveWorld(57);
  const killed = await world.startProcess();
  await world.clock.runFor(10_000);
  killed.kill();
  const open = world.openOrders(killed.bot).map(({ orderId }) => orderId);
  expect(open).toHaveLength(4);
  const { crash, ports } = crashing(world);
  crash.isDue = true;
  const dry = await world.start({ dryRun: true }, ports);
  const end = await world.settle(dry.done);
  expect(end.reason).toContain("a bug");
  expect(end).toMatchObject({ ok: false, inQuestion: [] });
  expect(world.openOrders(dry).map(({ orderId }) => orderId)).toEqual(open);
});
