import { describe, expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import type { Http, HttpResponse } from "../../src/ports/http.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { pacedVenueNowMs } from "../../src/runtime/paced-http.ts";
import { venueClockOf } from "../../src/sdk/nonce-source.ts";
import { startLive } from "../../src/runtime/live.ts";
import { endSession, fetchSessions } from "../../src/session/session-maker.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { stopped } from "../runtime/live-world.ts";
import {
  ended,
  isOfSessions,
  MINUTE_MS,
  movingMarket,
  sessionWorld,
  type SessionWorld,
  withOldLists,
} from "./session-world.ts";

/** Failures around a bot's session wallet, on the virtual clock. */

/** Codes of the bot's warnings, each once, in order. */
function warningsOf(bot: Bot): Set<string> {
  const codes = new Set<string>();
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "warning") codes.add(note.code);
  });
  return codes;
}

function journaled(world: SessionWorld): string[] {
  const run = listRuns(world.store, "journal").at(-1);
  if (run === undefined) throw new Error("a run");
  return [...entriesOfRun(world.store, run)].flatMap((entry) =>
    entry.type !== "batch"
      ? []
      : entry.entry.batch.inputs.flatMap((input) =>
          input.type === "warning" || input.type === "mustStop" ? [input.type] : [],
        ),
  );
}

async function endFromOutside(world: SessionWorld): Promise<void> {
  const expirySec = (await world.settle(fetchSessions(world.sessions))).get(
    world.first.address,
  )?.expiry;
  await world.settle(endSession(world.sessions, world.renew.owner, world.first, expirySec ?? 0));
}

describe("a session wallet that is ended from outside while its bot quotes", () => {
  test.each([
    ["it may not renew", false],
    ["it may renew", true],
  ])(
    "stops the bot at the first refusal, which names the remaining orders (%s)",
    async (_name, mayRenew) => {
      // In a calm market the bot would not send its next command for minutes.
      const world = await sessionWorld(undefined, movingMarket);
      const more = mayRenew ? { renew: world.renew } : {};
      const bot = await world.run({ lifetimeMs: 1000 * MINUTE_MS, refreshMs: 1_000, ...more });
      await world.clock.runFor(20_000);
      const codes = warningsOf(bot);
      expect(world.openOrders(bot).length).toBeGreaterThan(0);
      await endFromOutside(world);
      const before = world.clock.elapsedMs;
      const end = await ended(world, bot, 60_000);
      // A few seconds until the next command, then the time that `stop` allows for canceling.
      expect(world.clock.elapsedMs - before).toBeLessThan(25_000);
      expect(end.ok).toBe(false);
      expect(end.reason).toContain("is not active any more");
      // Those that the moving market has filled meanwhile are not open any more.
      const open = world.openOrders(bot).length;
      expect(open).toBeGreaterThan(0);
      expect(end.inQuestion).toHaveLength(open);
      expect([...codes]).toEqual(expect.arrayContaining(["SIGNATURE_REFUSED", "SESSION_STOPS"]));
      expect(journaled(world)).toEqual(expect.arrayContaining(["warning", "mustStop"]));
      expect(world.made).toEqual([]);
    },
  );

  test("stops a paused bot at the next check of the list of sessions", async () => {
    const world = await sessionWorld();
    const bot = await world.run({ lifetimeMs: 1000 * MINUTE_MS });
    await world.clock.runFor(20_000);
    bot.pause();
    await world.clock.runFor(5_000);
    await endFromOutside(world);
    const end = await ended(world, bot, 6 * MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(end.reason).toContain("is not active any more");
  });
});

describe("a bot whose session cannot be renewed cancels its orders in time and stops", () => {
  test("when the venue responds to session commands with 5xx", async () => {
    const world = await sessionWorld([
      { kind: "5xx", at: "2m", for: "1h", rate: 1, match: "POST /api/v1/wallet/session" },
    ]);
    const bot = await world.run({ lifetimeMs: 15 * MINUTE_MS, renew: world.renew });
    const codes = warningsOf(bot);
    const end = await ended(world, bot, 20 * MINUTE_MS);
    expect(world.clock.elapsedMs).toBeLessThan(15 * MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(end.reason).toMatch(/session wallet 0x.* ends in/);
    expect([...codes]).toEqual(
      expect.arrayContaining(["SESSION_NOT_RENEWED", "SESSION_ENDS", "SESSION_STOPS"]),
    );
    // All attempts use the same key.
    expect(world.made).toHaveLength(1);
  });

  test.each(["the venue refuses the owner's signature", "the owner does not sign"])(
    "when %s",
    async (reason) => {
      const world = await sessionWorld();
      const stranger = ownerOf(world.crypto.signer(new Uint8Array(32).fill(99)));
      let requests = 0;
      const signTypedData: typeof stranger.signTypedData = async (request) => {
        requests += 1;
        if (reason === "the owner does not sign") throw new Error("the wallet is in a drawer");
        return stranger.signTypedData(request);
      };
      const owner = { address: world.owner.address, signTypedData };
      const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, renew: { ...world.renew, owner } });
      const codes = warningsOf(bot);
      const end = await ended(world, bot, 20 * MINUTE_MS);
      expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
      expect(codes).toContain("SESSION_NOT_RENEWED");
      expect(requests).toBeGreaterThan(5);
      expect(world.made).toHaveLength(1);
    },
  );

  test("when the venue is unreachable: it keeps trying to cancel until the session ends, not just for 10 s", async () => {
    const world = await sessionWorld();
    const bot = await world.run({ lifetimeMs: 20 * MINUTE_MS, stopBeforeMs: 5 * MINUTE_MS });
    await world.clock.runFor(14 * MINUTE_MS);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    world.network.faults.refuse = true;
    world.network.cutSockets();
    await world.clock.runFor(4 * MINUTE_MS);
    world.network.faults.refuse = false;
    const end = await ended(world, bot, MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(world.clock.elapsedMs).toBeLessThan(19 * MINUTE_MS);
  });

  test("when the venue stays unreachable: it names the orders that it could not cancel", async () => {
    const world = await sessionWorld();
    const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, renew: world.renew });
    await world.clock.runFor(MINUTE_MS);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    world.network.faults.refuse = true;
    world.network.cutSockets();
    const end = await ended(world, bot, 14 * MINUTE_MS);
    expect(world.clock.elapsedMs).toBeLessThan(12.5 * MINUTE_MS);
    expect(end.ok).toBe(false);
    expect([...end.inQuestion].sort()).toEqual(open.sort());
    expect(end.reason).toMatch(/session wallet 0x.* ends/);
  });

  test("when the venue is unreachable and a signal comes: it stops within the usual time", async () => {
    const world = await sessionWorld();
    const bot = await world.run({ lifetimeMs: 12 * MINUTE_MS, stopBeforeMs: 5 * MINUTE_MS });
    await world.clock.runFor(MINUTE_MS);
    world.network.faults.refuse = true;
    world.network.cutSockets();
    await world.clock.runFor(7 * MINUTE_MS);
    const before = world.clock.elapsedMs;
    bot.stop();
    expect((await ended(world, bot, 30_000)).ok).toBe(false);
    expect(world.clock.elapsedMs - before).toBeLessThan(12_500);
  });
});

describe("a session at a venue whose clock differs from ours", () => {
  test.each([
    ["ahead", 3],
    ["behind", -3],
  ])(
    "is renewed at the right venue time, without a stop, while our clock is days %s",
    async (_name, days) => {
      const world = await sessionWorld();
      const { expirySec } = await world.session(15 * MINUTE_MS);
      const skewMs = days * 86_400_000;
      const clock = {
        nowMs: () => unixMs(world.clock.nowMs() + skewMs),
        monotonicUs: () => world.clock.monotonicUs(),
      };
      const bot = await world.settle(
        startLive(
          { ...world.settings, owner: world.owner.address },
          {
            ...world.ports,
            clock,
            signer: world.first,
            session: {
              expirySec,
              offsetMs: -skewMs,
              stopBeforeMs: 60_000,
              renew: world.renew,
              l1ChainId: 8217,
            },
          },
        ),
      );
      await world.clock.runFor(4 * MINUTE_MS);
      expect(world.made).toHaveLength(0);
      await world.clock.runFor(3 * MINUTE_MS);
      expect(world.made).toHaveLength(1);
      expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
    },
  );
});

describe("a session without renewal", () => {
  test("causes one warning each 7 days, 1 day and 1 hour before its end", async () => {
    const world = await sessionWorld();
    const day = 24 * 60 * MINUTE_MS;
    const bot = await world.run({ lifetimeMs: 8 * day });
    const warnings: string[] = [];
    bot.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type === "warning" && note.code === "SESSION_ENDS") warnings.push(note.message);
      }
    });
    await world.clock.runFor(6 * MINUTE_MS);
    expect(warnings).toEqual([]);
    // The machine sleeps and wakes up a few minutes before each warning is due.
    for (const sleepMs of [day, 6 * day, 23 * 60 * MINUTE_MS]) {
      world.clock.sleep(sleepMs - 6 * MINUTE_MS);
      await world.clock.runFor(6 * MINUTE_MS);
    }
    expect(warnings).toEqual([
      expect.stringMatching(/ends in (7|6) d/),
      expect.stringMatching(/ends in (1 d|23 h)/),
      expect.stringMatching(/ends in (1 h|5\d min)/),
    ]);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});

describe("requests for the session", () => {
  test("read the venue's clock right, however long they wait for the rate budget", async () => {
    const world = await sessionWorld();
    const { sessions, clock } = world;
    const waitForToken = () =>
      new Promise<void>((resolve) => {
        clock.after(2 * MINUTE_MS, resolve);
      });
    const venueClock = venueClockOf(sessions.connection, clock);
    const offMs = pacedVenueNowMs(venueClock, clock, waitForToken)().then(
      (venueMs) => venueMs - clock.nowMs(),
    );
    await clock.runFor(2.1 * MINUTE_MS);
    expect(Math.abs(await offMs)).toBeLessThan(1_000);
  });

  test("do not believe one answer of the venue's clock that is an hour ahead", async () => {
    const world = await sessionWorld();
    const { http } = world.ports;
    let answers = 0;
    const lying: typeof http = {
      close: () => http.close(),
      async request(request) {
        // Every other answer is wrong.
        if (!request.url.endsWith("/time") || (answers += 1) % 2 === 1)
          return http.request(request);
        const result = { serverTime: world.clock.nowMs() + 60 * MINUTE_MS };
        const body = new TextEncoder().encode(JSON.stringify({ code: 200, errMsg: "OK", result }));
        return { status: 200, headers: {}, body };
      },
    };
    const bot = await world.run({ lifetimeMs: 50 * MINUTE_MS, http: lying });
    await world.clock.runFor(12 * MINUTE_MS);
    expect(answers).toBeGreaterThan(10);
    expect(world.warnings.filter((warning) => warning.includes("stopping"))).toEqual([]);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  test("share the bot's rate limit with its other requests", async () => {
    const world = await sessionWorld();
    const rateLimit = { perSecond: 2, burst: 6, concurrency: 4 };
    const requests: { atMs: number; isSession: boolean }[] = [];
    const { http } = world.ports;
    const counted = {
      ...http,
      request: (request: Parameters<typeof http.request>[0]) => {
        const isSession = request.url.includes("/wallet/session");
        requests.push({ atMs: world.clock.elapsedMs, isSession });
        return http.request(request);
      },
    };
    const bot = await world.run({
      lifetimeMs: 11 * MINUTE_MS,
      refreshMs: 500,
      renew: world.renew,
      settings: { rateLimit },
      http: counted,
    });
    requests.length = 0;
    await world.clock.runFor(5 * MINUTE_MS);
    expect(world.made).toHaveLength(1);
    expect(requests.filter(({ isSession }) => isSession).length).toBeGreaterThan(5);
    // A token bucket that refills at the rate limit.
    let tokens = rateLimit.burst;
    let lastMs = 0;
    for (const { atMs } of requests) {
      tokens = Math.min(rateLimit.burst, tokens + ((atMs - lastMs) * rateLimit.perSecond) / 1000);
      tokens -= 1;
      lastMs = atMs;
      expect(tokens).toBeGreaterThan(-1.01);
    }
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});

test("a check of the session that failed is repeated within seconds, since the venue's clock may have been set", async () => {
  const world = await sessionWorld();
  const { http } = world.ports;
  const checkedMs: number[] = [];
  const checks: Http = {
    async request(request) {
      if (request.url.includes("/wallet/session")) {
        checkedMs.push(world.clock.elapsedMs);
        if (checkedMs.length === 2) throw new Error("the connection broke");
      }
      return http.request(request);
    },
    close: () => http.close(),
  };
  const bot = await world.run({ lifetimeMs: 60 * MINUTE_MS, http: checks });
  await world.clock.runFor(7 * MINUTE_MS);
  const [, failedMs = 0, againMs = Number.POSITIVE_INFINITY] = checkedMs;
  expect(failedMs).toBeGreaterThan(4 * MINUTE_MS);
  expect(againMs - failedMs).toBeLessThan(10_000);
  expect(await stopped(world, bot)).toMatchObject({ ok: true });
});

test("a list from a cache of 12 s stops no bot that has renewed its session after a check that failed", async () => {
  const world = await sessionWorld(undefined, movingMarket);
  const isOver = (minutes: number): boolean => world.clock.elapsedMs > minutes * MINUTE_MS;
  let hasFailed = false;
  const http = withOldLists(world, (request) => {
    // Until the renewal is due, and its own check.
    if (!isOfSessions(request) || !isOver(4.4) || hasFailed) return undefined;
    hasFailed = isOver(4.49);
    throw new Error("the connection broke");
  });
  const timing = { refreshMs: 1_000, lifetimeMs: 14.5 * MINUTE_MS };
  const bot = await world.run({ ...timing, renew: world.renew, http });
  await world.clock.runFor(9 * MINUTE_MS);
  expect(hasFailed).toBe(true);
  expect(world.made).toHaveLength(1);
  expect(await stopped(world, bot)).toMatchObject({ ok: true });
});

test("a node that lags behind, refuses a command of the new session and lists the old one stops no bot", async () => {
  const world = await sessionWorld(undefined, movingMarket);
  let left = 1;
  const http = withOldLists(world, (request, isOld) => {
    if (!request.url.endsWith("/order") || !isOld || left === 0) return undefined;
    left -= 1;
    return refusal;
  });
  const timing = { refreshMs: 1_000, lifetimeMs: 14.5 * MINUTE_MS };
  const bot = await world.run({ ...timing, renew: world.renew, http });
  await world.clock.runFor(9 * MINUTE_MS);
  expect(left).toBe(0);
  expect(world.made).toHaveLength(1);
  expect(await stopped(world, bot)).toMatchObject({ ok: true });
});

const refusal: HttpResponse = {
  status: 401,
  headers: {},
  body: new TextEncoder().encode(JSON.stringify({ code: 401, errMsg: "Unauthorized" })),
};
