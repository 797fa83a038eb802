import { describe, expect, it } from "vitest";
import { isCommand } from "../../src/domain/command.ts";
import type { Http, HttpRequest, HttpResponse } from "../../src/ports/http.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { placedIn } from "../kernel/harness.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A whole bot at a venue that limits requests or asks to wait, on a virtual clock. */

function failure(status: number, headers: Record<string, string>): HttpResponse {
  const text = JSON.stringify({ code: status, errMsg: "not now", result: null });
  return { status, headers, body: new TextEncoder().encode(text) };
}

/** HTTP that answers a request by `answer` where that gives a response, and lets all others pass. */
function answering(http: Http, answer: (request: HttpRequest) => HttpResponse | undefined): Http {
  return {
    close: () => http.close(),
    request: async (request) => answer(request) ?? http.request(request),
  };
}

function startWith(world: World, http: Http): Promise<Bot> {
  return world.settle(startLive(world.settings, { ...world.ports, http }));
}

/** What a bot does from now on. */
function activityOf(bot: Bot) {
  const activity = { placed: 0, cancels: 0, reads: 0, warnings: [] as string[] };
  bot.observers.on(({ notes, effects }) => {
    activity.placed += placedIn(notes).length;
    for (const note of notes) if (note.type === "warning") activity.warnings.push(note.code);
    for (const effect of effects) {
      if (effect.type === "cancel") activity.cancels += 1;
      else if (!isCommand(effect) && effect.type !== "finished") activity.reads += 1;
    }
  });
  return activity;
}

describe("a venue that asks to wait for an hour", () => {
  it.each(["3600", "1000000000000", "Wed, 21 Oct 2099 07:28:00 GMT"])(
    "in a 503 to one balance query (%s) delays that query alone",
    async (retryAfter) => {
      const world = await liveWorld(51);
      let isBad = false;
      const http = answering(world.ports.http, ({ url }) => {
        if (!isBad || !url.includes("/wallet/balance")) return undefined;
        isBad = false;
        return failure(503, { "retry-after": retryAfter });
      });
      const bot = await startWith(world, http);
      await world.clock.runFor(20_000);
      isBad = true;
      const activity = activityOf(bot);
      await world.clock.runFor(70_000);
      expect(isBad).toBe(false);
      expect(activity.placed).toBeGreaterThan(20);
      expect(activity.cancels).toBeGreaterThan(20);
      expect(activity.reads).toBeGreaterThan(5);
      expect(activity.warnings).toEqual(["READ_FAILED"]);
      const end = await stopped(world, bot);
      expect(end).toMatchObject({ ok: true, inQuestion: [] });
      await expectVerified(world);
    },
  );

  it("in a 429 stops orders and reads for a minute at most, and cancels never", async () => {
    const world = await liveWorld(52);
    let isBad = false;
    const http = answering(world.ports.http, ({ url }) => {
      if (!isBad || !url.endsWith("/order")) return undefined;
      isBad = false;
      return failure(429, { "retry-after": "3600" });
    });
    const bot = await startWith(world, http);
    await world.clock.runFor(20_000);
    isBad = true;
    await world.clock.runFor(10_000);
    expect(isBad).toBe(false);
    const activity = activityOf(bot);
    bot.pause();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toEqual([]);
    expect(activity.placed).toBe(0);
    bot.resume();
    await world.clock.runFor(60_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});

describe("a venue with a strict limit of 5 requests a second", () => {
  const rateLimit = { perSecond: 5, burst: 5, concurrency: 4 };

  /** HTTP that counts what a bucket of 5 a second over all requests would refuse, and the venue's own 429s. */
  function limited(world: World) {
    const bucket = { tokens: 5, atMs: 0 };
    const count = { requests: 0, overLimit: 0, refused: 0 };
    const { http } = world.ports;
    const counting: Http = {
      close: () => http.close(),
      async request(request) {
        count.requests += 1;
        const atMs = world.clock.nowMs();
        bucket.tokens = Math.min(5, bucket.tokens + (atMs - bucket.atMs) * 0.005);
        bucket.atMs = atMs;
        // The bot rounds times to milliseconds: two of them are a hundredth of a token.
        if (bucket.tokens > 0.99) bucket.tokens -= 1;
        else count.overLimit += 1;
        const response = await http.request(request);
        if (response.status === 429) count.refused += 1;
        return response;
      },
    };
    return { counting, count };
  }

  it("answers no request of start, run and stop with 429, after a crash neither", async () => {
    const world = await liveWorld(53, { venuePerSecond: 5 });
    const { counting, count } = limited(world);
    const start = (): Promise<Bot> =>
      world.settle(startLive({ ...world.settings, rateLimit }, { ...world.ports, http: counting }));
    const first = await start();
    await world.clock.runFor(30_000);
    expect(world.openOrders(first)).toHaveLength(4);
    // Like kill -9: the next run finds the orders.
    world.network.faults.refuse = true;
    first.stop();
    await world.settle(first.done);
    world.store.killed();
    world.network.faults.refuse = false;
    await world.clock.runFor(10_000);
    expect(count).toMatchObject({ overLimit: 0, refused: 0 });

    const second = await start();
    await world.clock.runFor(30_000);
    expect(world.openOrders(second)).toHaveLength(4);
    expect(await stopped(world, second)).toMatchObject({ ok: true, inQuestion: [] });
    expect(count.requests).toBeGreaterThan(100);
    expect(count).toMatchObject({ overLimit: 0, refused: 0 });
    await expectVerified(world);
  });

  it("answers none of the last cancels after a bug with 429", async () => {
    const world = await liveWorld(54, { venuePerSecond: 5 });
    const { counting, count } = limited(world);
    const bug = { isDue: false };
    const signer = {
      address: world.ports.signer.address,
      sign(digest: Uint8Array) {
        if (bug.isDue) {
          bug.isDue = false;
          throw new Error("a bug");
        }
        return world.ports.signer.sign(digest);
      },
    };
    const settings = { ...world.settings, rateLimit };
    const ports = { ...world.ports, http: counting, signer };
    const bot = await world.settle(startLive(settings, ports));
    await world.clock.runFor(20_000);
    bug.isDue = true;
    const end = await world.settle(bot.done);
    expect(end).toMatchObject({ ok: false, summary: { ordersLeft: 0 } });
    expect(world.openOrders(bot)).toEqual([]);
    expect(count).toMatchObject({ overLimit: 0, refused: 0 });
  });

  it("teaches a bot that is configured for more to send less", async () => {
    const world = await liveWorld(55, { venuePerSecond: 5 });
    const { counting, count } = limited(world);
    const bot = await startWith(world, counting);
    const activity = activityOf(bot);
    await world.clock.runFor(60_000);
    expect(activity.warnings).toContain("RATE_LIMITED");
    const { requests, refused } = count;
    await world.clock.runFor(120_000);
    expect((count.refused - refused) / (count.requests - requests)).toBeLessThan(0.04);
    expect(world.openOrders(bot).length).toBeGreaterThan(2);
    expect(activity.placed).toBeGreaterThan(45);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});
