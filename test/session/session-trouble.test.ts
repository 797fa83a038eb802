import { describe, expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { endSession, fetchSessions } from "../../src/session/session-maker.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { stopped } from "../runtime/live-world.ts";
import { ended, MINUTE_MS, sessionWorld, type SessionWorld } from "./session-world.ts";

/** What goes wrong around a bot's session wallet, on the virtual clock. */

/** Codes of the warnings that the bot's page, log and journal were told, each once, in order. */
function warningsOf(bot: Bot): Set<string> {
  const codes = new Set<string>();
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "warning") codes.add(note.code);
  });
  return codes;
}

function journaled(it: SessionWorld): string[] {
  const run = listRuns(it.store, "journal").at(-1);
  if (run === undefined) throw new Error("a run");
  return [...entriesOfRun(it.store, run)].flatMap((entry) =>
    entry.type !== "batch"
      ? []
      : entry.entry.batch.inputs.flatMap((input) =>
          input.type === "warning" || input.type === "mustStop" ? [input.type] : [],
        ),
  );
}

async function endFromOutside(it: SessionWorld): Promise<void> {
  const expirySec = (await it.settle(fetchSessions(it.sessions))).get(it.first.address)?.expiry;
  await it.settle(endSession(it.sessions, it.renew.owner, it.first, expirySec ?? 0));
}

describe("a session wallet that is ended from outside while its bot quotes", () => {
  test.each([
    ["it may not renew", false],
    ["it may renew: ending the session means that the bot should stop", true],
  ])(
    "%s: seen by the first refusal, said everywhere, orders named",
    async (_name, mayRenew) => {
      const it = await sessionWorld();
      const more = mayRenew ? { renew: it.renew } : {};
      const bot = await it.run({ lifetimeMs: 1000 * MINUTE_MS, refreshMs: 1_000, ...more });
      await it.clock.runFor(20_000);
      const codes = warningsOf(bot);
      const open = it.openOrders(bot).length;
      expect(open).toBeGreaterThan(0);
      await endFromOutside(it);
      const before = it.clock.elapsedMs;
      const end = await ended(it, bot, 60_000);
      // A few seconds until something is to be signed, then what `stop` has for canceling.
      expect(it.clock.elapsedMs - before).toBeLessThan(25_000);
      expect(end.ok).toBe(false);
      expect(end.reason).toContain("is not active any more");
      expect(end.inQuestion).toHaveLength(open);
      expect([...codes]).toEqual(expect.arrayContaining(["SIGNATURE_REFUSED", "SESSION_STOPS"]));
      expect(journaled(it)).toEqual(expect.arrayContaining(["warning", "mustStop"]));
      expect(it.made).toEqual([]);
    },
    60_000,
  );

  test("without anything to sign: seen by the look at the list", async () => {
    const it = await sessionWorld();
    const bot = await it.run({ lifetimeMs: 1000 * MINUTE_MS });
    await it.clock.runFor(20_000);
    bot.pause();
    await it.clock.runFor(5_000);
    await endFromOutside(it);
    const end = await ended(it, bot, 6 * MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(end.reason).toContain("is not active any more");
  }, 60_000);
});

describe("a renewal that fails ends in a bot that stopped quoting and canceled in time", () => {
  test("the venue answers 5xx to session commands", async () => {
    const it = await sessionWorld([
      { kind: "5xx", at: "2m", for: "1h", rate: 1, match: "POST /api/v1/wallet/session" },
    ]);
    const bot = await it.run({ lifetimeMs: 15 * MINUTE_MS, renew: it.renew });
    const codes = warningsOf(bot);
    const end = await ended(it, bot, 20 * MINUTE_MS);
    expect(it.clock.elapsedMs).toBeLessThan(15 * MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(end.reason).toMatch(/session wallet 0x.* ends in/);
    expect([...codes]).toEqual(
      expect.arrayContaining(["SESSION_NOT_RENEWED", "SESSION_ENDS", "SESSION_STOPS"]),
    );
    // One key for all its attempts.
    expect(it.made).toHaveLength(1);
  }, 60_000);

  test("the venue does not take the owner's signature", async () => {
    const it = await sessionWorld();
    const stranger = it.crypto.signer(new Uint8Array(32).fill(99));
    const owner = { ...ownerOf(stranger), address: it.owner.address };
    const bot = await it.run({ lifetimeMs: 12 * MINUTE_MS, renew: { ...it.renew, owner } });
    const codes = warningsOf(bot);
    const end = await ended(it, bot, 20 * MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(codes).toContain("SESSION_NOT_RENEWED");
  }, 60_000);

  test("nobody can reach the venue: it goes on trying until the session ends, not for 10 s only", async () => {
    const it = await sessionWorld();
    const bot = await it.run({ lifetimeMs: 20 * MINUTE_MS, stopBeforeMs: 5 * MINUTE_MS });
    await it.clock.runFor(14 * MINUTE_MS);
    expect(it.openOrders(bot).length).toBeGreaterThan(0);
    it.network.faults.refuse = true;
    it.network.cutSockets();
    await it.clock.runFor(4 * MINUTE_MS);
    it.network.faults.refuse = false;
    const end = await ended(it, bot, MINUTE_MS);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(it.clock.elapsedMs).toBeLessThan(19 * MINUTE_MS);
  }, 60_000);

  test("nor until it has ended: the orders that it could not cancel are named", async () => {
    const it = await sessionWorld();
    const bot = await it.run({ lifetimeMs: 12 * MINUTE_MS, renew: it.renew });
    await it.clock.runFor(MINUTE_MS);
    const open = it.openOrders(bot).map(({ orderId }) => orderId);
    it.network.faults.refuse = true;
    it.network.cutSockets();
    const end = await ended(it, bot, 14 * MINUTE_MS);
    expect(it.clock.elapsedMs).toBeLessThan(12.5 * MINUTE_MS);
    expect(end.ok).toBe(false);
    expect([...end.inQuestion].sort()).toEqual(open.sort());
    expect(end.reason).toMatch(/session wallet 0x.* ends/);
  }, 60_000);

  test("a signal has no more patience than usual meanwhile", async () => {
    const it = await sessionWorld();
    const bot = await it.run({ lifetimeMs: 12 * MINUTE_MS, stopBeforeMs: 5 * MINUTE_MS });
    await it.clock.runFor(MINUTE_MS);
    it.network.faults.refuse = true;
    it.network.cutSockets();
    await it.clock.runFor(7 * MINUTE_MS);
    const before = it.clock.elapsedMs;
    bot.stop();
    expect((await ended(it, bot, 30_000)).ok).toBe(false);
    expect(it.clock.elapsedMs - before).toBeLessThan(12_500);
  }, 60_000);
});

describe("a session whose time is told by another clock than ours", () => {
  test.each([
    ["ahead", 3],
    ["behind", -3],
  ])(
    "ours is days %s: nothing stops, and it is renewed in the venue's time",
    async (_name, days) => {
      const it = await sessionWorld();
      const { expirySec } = await it.session(15 * MINUTE_MS);
      const skewMs = days * 86_400_000;
      const clock = {
        nowMs: () => unixMs(it.clock.nowMs() + skewMs),
        monotonicUs: () => it.clock.monotonicUs(),
      };
      const bot = await it.settle(
        startLive(
          { ...it.settings, owner: it.owner.address },
          {
            ...it.ports,
            clock,
            signer: it.first,
            session: {
              expirySec,
              offsetMs: -skewMs,
              stopBeforeMs: 60_000,
              renew: it.renew,
              l1ChainId: 8217,
            },
          },
        ),
      );
      await it.clock.runFor(4 * MINUTE_MS);
      expect(it.made).toHaveLength(0);
      await it.clock.runFor(3 * MINUTE_MS);
      expect(it.made).toHaveLength(1);
      expect(await stopped(it, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
    },
    60_000,
  );
});

describe("a session that nobody renews", () => {
  test("is warned about 7 days, 1 day and 1 hour before its end, once each", async () => {
    const it = await sessionWorld();
    const day = 24 * 60 * MINUTE_MS;
    const bot = await it.run({ lifetimeMs: 8 * day });
    const said: string[] = [];
    bot.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type === "warning" && note.code === "SESSION_ENDS") said.push(note.message);
      }
    });
    await it.clock.runFor(6 * MINUTE_MS);
    expect(said).toEqual([]);
    // All machines sleep, and wake up a few minutes after the time.
    for (const sleepMs of [day, 6 * day, 23 * 60 * MINUTE_MS]) {
      it.clock.sleep(sleepMs - 12 * MINUTE_MS);
      await it.clock.runFor(12 * MINUTE_MS);
    }
    expect(said).toEqual([
      expect.stringMatching(/ends in (7|6) d/),
      expect.stringMatching(/ends in (1 d|23 h)/),
      expect.stringMatching(/ends in (1 h|5\d min)/),
    ]);
    expect(await stopped(it, bot)).toMatchObject({ ok: true });
  }, 60_000);
});

describe("requests for the session", () => {
  test("keep to the bot's rate limit together with its own", async () => {
    const it = await sessionWorld();
    const rateLimit = { perSecond: 2, burst: 6, concurrency: 4 };
    const asked: { atMs: number; isSession: boolean }[] = [];
    const { http } = it.ports;
    const counted = {
      ...http,
      request: (request: Parameters<typeof http.request>[0]) => {
        const isSession = request.url.includes("/wallet/session");
        asked.push({ atMs: it.clock.elapsedMs, isSession });
        return http.request(request);
      },
    };
    const bot = await it.run({
      lifetimeMs: 11 * MINUTE_MS,
      refreshMs: 500,
      renew: it.renew,
      settings: { rateLimit },
      http: counted,
    });
    asked.length = 0;
    await it.clock.runFor(5 * MINUTE_MS);
    expect(it.made).toHaveLength(1);
    expect(asked.filter(({ isSession }) => isSession).length).toBeGreaterThan(5);
    // The bucket of the rate limit, filled as it says.
    let tokens = rateLimit.burst;
    let lastMs = 0;
    for (const { atMs } of asked) {
      tokens = Math.min(rateLimit.burst, tokens + ((atMs - lastMs) * rateLimit.perSecond) / 1000);
      tokens -= 1;
      lastMs = atMs;
      expect(tokens).toBeGreaterThan(-1.01);
    }
    expect(await stopped(it, bot)).toMatchObject({ ok: true });
  }, 60_000);
});
