import { describe, expect, test } from "vitest";
import type { Http, HttpResponse } from "../../src/ports/http.ts";
import { RequestPace } from "../../src/runtime/request-pace.ts";
import { startWithSession } from "../../src/runtime/session-signer.ts";
import { endSession } from "../../src/session/session-maker.ts";
import { transactionOf } from "../../src/sim/seen-transaction.ts";
import { stopped } from "../runtime/live-world.ts";
import {
  MINUTE_MS,
  movingMarket,
  sessionWorld,
  type SessionWorld,
  withOldLists,
} from "./session-world.ts";

/** Starts of a bot that opens its session wallet first. */

const limited: HttpResponse = {
  status: 429,
  headers: { "retry-after": "60" },
  body: new TextEncoder().encode("<html>429</html>"),
};

/** HTTP whose market lists are refused until `untilMs`; `refused` has how many commands were refused for their signature. */
function withoutMarkets({ ports, clock }: SessionWorld, untilMs: number) {
  const seen = { refused: 0 };
  const http: Http = {
    close: () => ports.http.close(),
    async request(request) {
      if (clock.elapsedMs < untilMs && request.url.endsWith("/market")) return limited;
      const response = await ports.http.request(request);
      if (response.status === 401) seen.refused += 1;
      return response;
    },
  };
  return { http, seen };
}

/** The start of a bot that has the key `first` and may renew. */
function start(world: SessionWorld, mayRenew: boolean, http = world.ports.http) {
  const { ports, settings, owner, first, made } = world;
  const keyOf = (signer: typeof first) => ({ address: signer.address, open: async () => signer });
  const setup = {
    owner: owner.address,
    keys: { configured: async () => first.address, all: async () => [first, ...made].map(keyOf) },
    l1ChainId: 8217,
    stopBeforeMs: MINUTE_MS,
    renew: mayRenew ? world.renew : undefined,
  };
  const pace = new RequestPace(settings.rateLimit, ports);
  const own = { ...settings, owner: owner.address };
  return startWithSession(own, setup, { ...ports, http, pace });
}

/** The start of a bot whose first session lasts three minutes, while the list of markets is refused for another three. */
async function slowStart(mayRenew: boolean) {
  const world = await sessionWorld();
  await world.session(3 * MINUTE_MS);
  const { http, seen } = withoutMarkets(world, world.clock.elapsedMs + 3 * MINUTE_MS);
  const bot = start(world, mayRenew, http);
  bot.catch(() => undefined);
  await world.clock.runFor(5 * MINUTE_MS);
  return { world, bot, seen };
}

describe("a start during which its session ends", () => {
  test("opens the next session before the bot's first step", async () => {
    const { world, bot, seen } = await slowStart(true);
    const started = await bot;
    await world.clock.runFor(MINUTE_MS);
    expect(world.made).toHaveLength(1);
    expect(world.openOrders(started).length).toBeGreaterThan(0);
    expect(seen.refused).toBe(0);
    expect(await stopped(world, started)).toMatchObject({ ok: true });
  });

  test("fails without `renew`, before any command", async () => {
    const { bot, seen } = await slowStart(false);
    await expect(bot).rejects.toMatchObject({ code: "SESSION_NOT_APPLIED" });
    expect(seen.refused).toBe(0);
  });
});

describe("a start after somebody has ended the bot's session", () => {
  async function endedSession(): Promise<SessionWorld> {
    const world = await sessionWorld();
    const { expirySec } = await world.session(60 * MINUTE_MS);
    await world.settle(endSession(world.sessions, world.renew.owner, world.first, expirySec));
    return world;
  }

  test("makes a new session where `renew` says who signs for the owner", async () => {
    const world = await endedSession();
    const bot = await world.settle(start(world, true));
    expect(world.made).toHaveLength(1);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  test("fails without `renew`", async () => {
    const world = await endedSession();
    const starting = world.settle(start(world, false));
    await expect(starting).rejects.toMatchObject({ code: "SESSION_NOT_APPLIED" });
  });
});

describe("a command with the nonce that the second attempt to create its session has used", () => {
  test("is refused once, and signed again", async () => {
    const world = await sessionWorld(undefined, movingMarket);
    const { ports, crypto, clock } = world;
    let nonce = 0;
    let taken = 0;
    const http: Http = {
      close: () => ports.http.close(),
      async request(request) {
        const transaction = transactionOf(request, { chainId: 1001, crypto });
        if (transaction?.command.type === "session") nonce = transaction.nonce;
        const response = await ports.http.request(request);
        if (response.status === 409) taken += 1;
        return response;
      },
    };
    let requests = 0;
    const { owner } = world.renew;
    const signTypedData: typeof owner.signTypedData = async (request) => {
      requests += 1;
      if (requests === 1) throw new Error("busy");
      return owner.signTypedData(request);
    };
    const renew = { ...world.renew, owner: { address: owner.address, signTypedData } };
    const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, refreshMs: 1_000, renew, http });
    await clock.runUntil(() => nonce > 0, 5 * MINUTE_MS);
    await clock.runFor(nonce - 1 - clock.nowMs());
    expect(world.made).toHaveLength(1);
    expect(world.openOrders(bot).length).toBeGreaterThan(2);
    bot.pause();
    await clock.runFor(5_000);
    expect(taken).toBe(1);
    expect(world.openOrders(bot)).toEqual([]);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });
});

test("a list of before a session that was made at the start stops no bot", async () => {
  const world = await sessionWorld();
  const bot = start(world, true, withOldLists(world));
  await world.clock.runFor(MINUTE_MS);
  const started = await bot;
  expect(world.openOrders(started).length).toBeGreaterThan(0);
  expect(world.warnings).toEqual([]);
  expect(await stopped(world, started)).toMatchObject({ ok: true });
});
