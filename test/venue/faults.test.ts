import { describe, expect, test } from "vitest";
import { venueSchema, type VenueDocument } from "../../src/venue/config.ts";
import { faultKinds } from "../../src/venue/faults/fault-kinds.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { START_MS, testVenue, type TestVenue } from "../support/venue.ts";
import { startRealVenue } from "../support/real-venue.ts";

type Lines = Exclude<NonNullable<VenueDocument["faults"]>, "none">;

/** A request whose response may need time to pass. */
function querying(venue: TestVenue, method: string, target: string, body = "") {
  const seen: { status?: number; cut?: true; body?: string } = {};
  const ask = async (): Promise<void> => {
    Object.assign(seen, await venue.server.request(method, target, body));
  };
  void ask();
  return seen;
}

/** Advances time in steps, so that promises settle in between. */
async function pass(venue: TestVenue, ms: number, steps = 10): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    venue.clock.advance(ms / steps);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

function subscribed(venue: TestVenue, ...channels: string[]) {
  const socket = venue.server.connect();
  socket.send({ method: "subscribe", params: { channels }, id: 1 });
  return socket;
}

const tx = (venue: TestVenue, price: number) =>
  JSON.stringify({ tx: venue.alice.limit("BUY", price, "1").tx });
const finalIds = (frames: readonly unknown[]) =>
  frames.map(
    (frame) => (frame as { params: { result: { finalId: number } } }).params.result.finalId,
  );

/** Three changes of the book, one after the other. */
async function threeOrders(venue: TestVenue): Promise<void> {
  for (const price of [1700, 1701, 1702])
    await venue.server.request("POST", "/api/v1/order", tx(venue, price));
}

describe("a line of the schedule", () => {
  test("begins and ends on time, counts strikes, matches by pattern, and strikes at its rate", async () => {
    const venue = await testVenue({
      faults: [
        { kind: "5xx", at: "10s", for: "5s", match: "GET /time" },
        { kind: "5xx", at: "20s", count: 2, status: 500, match: "GET /api/v1/*" },
        { kind: "5xx", at: "60s", rate: "30%", status: 504 },
      ],
    });
    const status = async (path: string) => (await venue.server.request("GET", path)).status;
    expect(await status("/time")).toBe(200);
    venue.clock.advance(10_000);
    expect([await status("/time"), await status("/api/v1/market")]).toEqual([503, 200]);
    venue.clock.advance(5_000);
    expect(await status("/time")).toBe(200);
    venue.clock.advance(5_000);
    expect([await status("/time"), await status("/api/v1/market")]).toEqual([200, 500]);
    expect([await status("/api/v1/market"), await status("/api/v1/market")]).toEqual([500, 200]);
    venue.clock.advance(40_000);
    const responses: number[] = [];
    for (let at = 0; at < 1000; at += 1) responses.push(await status("/time"));
    const struck = responses.filter((each) => each === 504).length;
    expect(struck).toBeGreaterThan(230);
    expect(struck).toBeLessThan(370);
  });

  test("strikes the same matches with the same seed, and others with another seed", async () => {
    const run = async (seed: number): Promise<string> => {
      const venue = await testVenue({ faults: [{ kind: "5xx", rate: 0.5, seed }] });
      const responses: number[] = [];
      for (let at = 0; at < 64; at += 1)
        responses.push((await venue.server.request("GET", "/time")).status);
      return responses.join();
    };
    expect(await run(3)).toBe(await run(3));
    expect(await run(4)).not.toBe(await run(3));
  });

  test("is refused with unknown or invalid options", () => {
    const problems = (line: object): string[] => {
      const parsed = venueSchema.safeParse({ faults: [line] });
      return parsed.success ? [] : parsed.error.issues.map(({ code }) => code);
    };
    expect(problems({ kind: "drop", rate: 0.5, at: "1s" })).toEqual([]);
    for (const line of [
      { kind: "meteor" },
      { kind: "drop", delay: "1s" },
      { kind: "drop", rate: 2 },
      { kind: "latency", delay: 5 },
      { kind: "clock-skew" },
      { kind: "5xx", status: 200 },
      { kind: "drop", count: 0 },
    ]) {
      expect(problems(line)).toHaveLength(1);
    }
  });
});

describe("requests", () => {
  test("latency serves them later", async () => {
    const venue = await testVenue({
      faults: [{ kind: "latency", delay: "300ms", jitter: "100ms" }],
    });
    const response = querying(venue, "POST", "/api/v1/order", tx(venue, 1700));
    await pass(venue, 299);
    expect([response.status, venue.venue.exchange.blockNumber]).toEqual([undefined, 0]);
    await pass(venue, 101);
    expect([response.status, venue.venue.exchange.blockNumber]).toEqual([200, 1]);
  });

  test("drop does not serve them and breaks the connection", async () => {
    const venue = await testVenue({ faults: [{ kind: "drop", match: "POST *" }] });
    expect(await venue.server.request("POST", "/api/v1/order", tx(venue, 1700))).toMatchObject({
      cut: true,
    });
    expect(venue.venue.exchange.blockNumber).toBe(0);
  });

  test("duplicate serves them twice, and the second response equals the first", async () => {
    const venue = await testVenue({
      faults: [{ kind: "duplicate", match: "POST *" }],
      rateLimit: { perSecond: 5 },
    });
    for (let at = 0; at < 2; at += 1) {
      expect((await venue.server.request("POST", "/api/v1/order", tx(venue, 1700))).status).toBe(
        200,
      );
    }
    expect(venue.venue.exchange.blockNumber).toBe(2);
    // Five a second: the first two requests took four, the third's second half finds none left.
    expect((await venue.server.request("POST", "/api/v1/order", tx(venue, 1700))).status).toBe(429);
  });

  test("reorder serves the second one first, and a lone one after its limit", async () => {
    const venue = await testVenue({
      faults: [{ kind: "reorder", count: 2, limit: "400ms", match: "POST *" }],
    });
    const first = venue.alice.limit("BUY", 1700, "1");
    const held = querying(venue, "POST", "/api/v1/order", JSON.stringify({ tx: first.tx }));
    const alone = querying(venue, "POST", "/api/v1/order", tx(venue, 1699));
    await pass(venue, 100);
    expect([held.status, alone.status]).toEqual([undefined, undefined]);
    const second = querying(venue, "POST", "/api/v1/order", tx(venue, 1701));
    await pass(venue, 1);
    expect([second.status, held.status, alone.status]).toEqual([200, 200, 200]);
    const ids = venue.venue.exchange.openOrders(venue.alice.address, {
      fromMs: 0,
      toMs: 9e15,
      limit: 9,
    });
    expect(ids.map(({ price }) => Number(price / 10n ** 26n))).toEqual([1699, 1700, 1701]);
  });

  test("reorder serves a request without a successor after its limit", async () => {
    const venue = await testVenue({
      faults: [{ kind: "reorder", limit: "400ms", match: "POST *" }],
    });
    const alone = querying(venue, "POST", "/api/v1/order", tx(venue, 1699));
    await pass(venue, 399);
    expect(alone.status).toBeUndefined();
    await pass(venue, 1);
    expect(alone.status).toBe(200);
  });

  test("server-error gives a 5xx, with or without serving them", async () => {
    const venue = await testVenue({
      faults: [
        { kind: "5xx", count: 1, match: "POST /api/v1/order" },
        { kind: "5xx", at: "1s", count: 1, applied: true, status: 502 },
      ],
    });
    const order = tx(venue, 1700);
    expect(await venue.server.request("POST", "/api/v1/order", order)).toMatchObject({
      status: 503,
      body: expect.stringContaining('"code":503'),
    });
    expect(venue.venue.exchange.blockNumber).toBe(0);
    venue.clock.advance(1000);
    expect((await venue.server.request("POST", "/api/v1/order", order)).status).toBe(502);
    expect(venue.venue.exchange.blockNumber).toBe(1);
    expect((await venue.server.request("POST", "/api/v1/order", order)).status).toBe(200);
    expect(venue.venue.exchange.blockNumber).toBe(1);
  });

  test("timeout-before and timeout-after give no response and then cut the connection", async () => {
    const venue = await testVenue({
      faults: [
        { kind: "timeout-before", count: 1, cut: "5s", match: "POST *" },
        { kind: "timeout-after", at: "1s", count: 1, cut: "5s", match: "POST *" },
      ],
    });
    const before = querying(venue, "POST", "/api/v1/order", tx(venue, 1700));
    await pass(venue, 1000);
    const after = querying(venue, "POST", "/api/v1/order", tx(venue, 1701));
    await pass(venue, 3999);
    expect([before, after, venue.venue.exchange.blockNumber]).toEqual([{}, {}, 1]);
    await pass(venue, 2000);
    expect([before.cut, after.cut, venue.venue.exchange.blockNumber]).toEqual([true, true, 1]);
  });

  test("no request waits beyond the venue's end", async () => {
    const venue = await testVenue({ faults: [{ kind: "timeout-before" }] });
    querying(venue, "GET", "/time");
    await venue.venue.close();
    expect(venue.clock.pending).toBe(0);
  });
});

describe("messages of streams", () => {
  const lines = (...faults: Lines) => testVenue({ faults });

  test("latency sends them later and in order, also when the fault ends", async () => {
    const venue = await lines({ kind: "latency", delay: "300ms", for: "100ms", match: "depth@*" });
    const socket = subscribed(venue, "depth@1_2", "trade@1_2");
    expect(socket.drain()).toEqual([{ result: "ok", id: 1 }]);
    await venue.server.request("POST", "/api/v1/order", tx(venue, 1700));
    venue.clock.advance(200);
    await venue.server.request("POST", "/api/v1/order", tx(venue, 1701));
    expect(socket.frames).toEqual([]);
    venue.clock.advance(100);
    expect(finalIds(socket.drain())).toEqual([1, 2]);
    await venue.server.request("POST", "/api/v1/order", tx(venue, 1702));
    expect(finalIds(socket.drain())).toEqual([3]);
  });

  test("drop leaves a gap in the ids", async () => {
    const venue = await lines({ kind: "drop", count: 1, match: "depth@1_2" });
    const socket = subscribed(venue, "depth@1_2");
    socket.drain();
    await threeOrders(venue);
    expect(finalIds(socket.frames)).toEqual([2, 3]);
  });

  test("duplicate sends them twice", async () => {
    const venue = await lines({ kind: "duplicate", count: 1, match: "depth@1_2" });
    const socket = subscribed(venue, "depth@1_2");
    socket.drain();
    await threeOrders(venue);
    expect(finalIds(socket.frames)).toEqual([1, 1, 2, 3]);
  });

  test("reorder swaps two of them, and still sends the last one", async () => {
    const venue = await lines(
      { kind: "reorder", count: 1, match: "depth@1_2" },
      { kind: "reorder", at: "1s", limit: "200ms", match: "depth@1_2" },
    );
    const socket = subscribed(venue, "depth@1_2");
    socket.drain();
    await threeOrders(venue);
    expect(finalIds(socket.drain())).toEqual([2, 1, 3]);
    venue.clock.advance(1000);
    await venue.server.request("POST", "/api/v1/order", tx(venue, 1704));
    expect(socket.frames).toEqual([]);
    venue.clock.advance(200);
    expect(finalIds(socket.frames)).toEqual([4]);
  });

  test("close ends the connection instead, and a new one is served", async () => {
    const venue = await lines({ kind: "close", count: 1, match: "depth@1_2" });
    const socket = subscribed(venue, "depth@1_2");
    await threeOrders(venue);
    expect([socket.ended, socket.frames.length]).toEqual([
      { code: 1001, reason: expect.any(String) },
      1,
    ]);
    const second = subscribed(venue, "depth@1_2");
    await threeOrders(venue);
    expect(second.frames).toHaveLength(4);
  });

  test("half-open silences both directions, and the venue drops the client for its missing pong", async () => {
    const venue = await lines({ kind: "half-open", count: 1, match: "depth@1_2" });
    const [socket, other] = [subscribed(venue, "depth@1_2"), subscribed(venue, "depth@1_2")];
    await threeOrders(venue);
    expect([socket.isFrozen, socket.frames.length, other.frames.length]).toEqual([true, 1, 4]);
    venue.clock.advance(30_000);
    expect([socket.pings, other.pings]).toEqual([0, 1]);
    other.pong();
    venue.clock.advance(60_000);
    expect(socket.ended).toBe("terminated");
  });

  test("drop can lose a reply", async () => {
    const venue = await lines({ kind: "drop", count: 1, match: "reply" });
    const socket = subscribed(venue, "ticker");
    expect(socket.frames).toEqual([]);
    socket.send({ method: "subscribe", params: { channels: ["ticker"] }, id: 2 });
    expect(socket.frames).toEqual([{ result: "ok", id: 2 }]);
  });

  test("two faults can strike one message: it is sent later and twice", async () => {
    const venue = await lines(
      { kind: "duplicate", match: "depth@*" },
      { kind: "latency", match: "depth@*" },
    );
    const socket = subscribed(venue, "depth@1_2");
    socket.drain();
    await venue.server.request("POST", "/api/v1/order", tx(venue, 1700));
    expect(socket.frames).toEqual([]);
    venue.clock.advance(200);
    expect(finalIds(socket.frames)).toEqual([1, 1]);
  });
});

describe("clock and layer 1", () => {
  test("clock-skew shifts /time, the nonce window and stored times, and the clock never goes back", async () => {
    const venue = await testVenue({
      faults: [{ kind: "clock-skew", skew: "90s", at: "10s", for: "20s" }],
    });
    const time = async () => {
      const { body } = await venue.get("/time");
      return (body as { result: { serverTime: number } }).result.serverTime - START_MS;
    };
    expect(await time()).toBe(0);
    venue.clock.advance(10_000);
    expect(await time()).toBe(100_000);
    // A nonce of the real time is 90 s behind.
    expect((await venue.post("/api/v1/order", venue.alice.limit("BUY", 1700, "1"))).status).toBe(
      400,
    );
    venue.clock.advance(20_000);
    expect(await time()).toBe(100_000);
    venue.clock.advance(60_000);
    expect(await time()).toBe(100_000);
    venue.clock.advance(20_000);
    expect(await time()).toBe(110_000);
  });

  test("a negative clock-skew stops the clock until it is far enough behind", async () => {
    const venue = await testVenue({ faults: [{ kind: "clock-skew", skew: "-5s", at: "1s" }] });
    const time = async () => {
      const { body } = await venue.get("/time");
      return (body as { result: { serverTime: number } }).result.serverTime - START_MS;
    };
    venue.clock.advance(999);
    expect(await time()).toBe(999);
    venue.clock.advance(3000);
    expect(await time()).toBe(999);
    venue.clock.advance(6000);
    expect(await time()).toBe(9999 - 5000);
  });

  test("withdrawal-l1 fails a withdrawal until its retry, or lets another party execute it", async () => {
    const venue = await testVenue({
      faults: [
        { kind: "withdrawal-l1", count: 1, match: "1" },
        { kind: "withdrawal-l1", count: 1, outcome: "executed-elsewhere", match: "2" },
      ],
    });
    const { exchange } = venue.venue;
    const retried: unknown[] = [];
    for (const token of ["1", "2", "1"]) {
      const response = exchange.execute(
        venue.alice.address,
        {
          type: "withdraw",
          to: venue.bob.address,
          tokenId: tokenId(token),
          amount: fixed("1"),
        },
        venue.clock.nowMs(),
      );
      if (response.type === "refused") throw new Error(response.message);
      venue.clock.advance(1);
      const blocks = exchange.blockNumber;
      venue.clock.advance(10_000);
      const { body } = await venue.post("/api/v1/wallet/withdraw/retry", {
        txHash: response.txHash,
      });
      retried.push([(body as { result: string }).result === "0x0", exchange.blockNumber - blocks]);
    }
    // Failed: the retry is a block of its own. Executed elsewhere, and executed: it is not.
    expect(retried).toEqual([
      [false, 2],
      [true, 1],
      [false, 1],
    ]);
  });
});

test("every kind has a test here and a summary", async () => {
  const { readFileSync } = await import("node:fs");
  const text = readFileSync(import.meta.filename, "utf8");
  for (const { name, summary } of faultKinds) {
    expect(text).toContain(`kind: "${name}"`);
    expect(summary).toMatch(/\.$/);
  }
});

test("over real sockets, requests are cut, streams are closed or half-open, and responses stay away", async () => {
  const venue = await startRealVenue(
    {
      faults: [
        { kind: "drop", count: 1, match: "GET /time" },
        { kind: "timeout-before", count: 1, cut: "100ms", match: "GET /api/v1/market" },
        { kind: "close", count: 1, match: "ticker" },
        { kind: "half-open", count: 1, match: "ticker" },
      ],
    },
    { streamLimits: { pingIntervalMs: 30, pongDeadlineMs: 60 } },
  );
  try {
    await expect(fetch(`${venue.rest}/time`)).rejects.toThrow();
    expect((await fetch(`${venue.rest}/time`)).status).toBe(200);
    await expect(fetch(`${venue.rest}/api/v1/market`)).rejects.toThrow();
    const ended = async (): Promise<number> => {
      const socket = new WebSocket(venue.ws);
      const closed = new Promise<number>((resolve) =>
        socket.addEventListener("close", ({ code }) => resolve(code)),
      );
      await new Promise((resolve) => socket.addEventListener("open", resolve));
      socket.send(JSON.stringify({ method: "subscribe", params: { channels: ["ticker"] }, id: 1 }));
      return closed;
    };
    // The first is closed with a code; the second's pongs are never read, so the venue cuts it.
    expect(await ended()).toBe(1001);
    expect(await ended()).toBe(1006);
  } finally {
    await venue.close();
  }
});
