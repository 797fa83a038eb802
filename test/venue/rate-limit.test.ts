import fc from "fast-check";
import { expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { RequestRateLimit } from "../../src/venue/rate-limit.ts";
import { testVenue } from "../support/venue.ts";

test("never allows more than burst and rate, and allows a request after Retry-After", () => {
  const run = fc.property(
    fc.double({ min: 0.1, max: 50, noNaN: true }),
    fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 200 }),
    (perSecond, pausesMs) => {
      const limit = new RequestRateLimit(perSecond);
      let nowMs = 1_000_000;
      let taken = 0;
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs;
        const rate = limit.take("somebody", unixMs(nowMs));
        if (rate.ok) taken += 1;
        else {
          expect(Number.isInteger(rate.retryAfterSec) && rate.retryAfterSec >= 1).toBe(true);
          nowMs += rate.retryAfterSec * 1000;
          expect(limit.take("somebody", unixMs(nowMs)).ok).toBe(true);
          taken += 1;
        }
        const most = Math.max(1, perSecond) + ((nowMs - 1_000_000) * perSecond) / 1000;
        expect(taken).toBeLessThanOrEqual(most + 1e-6);
      }
    },
  );
  fc.assert(run, { numRuns: 200 });
});

test("slow rates give a long Retry-After, and count signed requests and reads separately", async () => {
  const { get, post, alice, bob, clock } = await testVenue({ rateLimit: { perSecond: 0.2 } });
  const place = () => post("/api/v1/order", alice.limit("BUY", 1800, "0.01"));
  expect((await place()).status).toBe(200);
  clock.advance(1000);
  expect(await place()).toMatchObject({
    status: 429,
    headers: { "retry-after": "4" },
    body: { code: 429, result: null, errMsg: expect.stringContaining(alice.address) },
  });
  // A refused request has no effect: the same bytes are accepted later.
  const waiting = alice.limit("BUY", 1801, "0.01");
  expect((await post("/api/v1/order", waiting)).status).toBe(429);
  for (const path of [
    "order/open",
    "order",
    "order/trade",
    "wallet/balance",
    "wallet/session",
    "wallet/transfer",
  ]) {
    clock.advance(5000);
    const read = () => get(`/api/v1/${path}?address=${bob.address}`);
    expect([path, (await read()).status, (await read()).status]).toEqual([path, 200, 429]);
  }
  expect((await post("/api/v1/order", waiting)).status).toBe(200);
  // Requests without an address and malformed requests count against no one.
  for (let at = 0; at < 20; at += 1) {
    expect((await get("/api/v1/market/ticker")).status).toBe(200);
    expect((await post("/api/v1/order", { tx: "0x00" })).status).toBe(400);
  }
});

test("reads of a stranger that name another's address leave the owner's connection its rate", async () => {
  const { get, bob, clock } = await testVenue({ rateLimit: { perSecond: 1 } });
  const read = async (connection: string): Promise<number> =>
    (await get(`/api/v1/order/open?address=${bob.address}`, connection)).status;
  clock.advance(1_000);
  const stranger = await Promise.all(Array.from({ length: 20 }, () => read("stranger")));
  expect(stranger.filter((status) => status === 200)).toHaveLength(1);
  expect([await read("bot"), await read("bot")]).toEqual([200, 429]);
});
