import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { CommandOutcome } from "../../src/domain/command.ts";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import { fetchFills, fetchOpenOrders } from "../../src/gateway/account-lists.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import { clientClock } from "../../src/gateway/venue-clock.ts";
import { VenueError } from "../../src/gateway/venue-error.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { ServerRequest, ServerResponse } from "../../src/ports/server.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { openOrder, userTrade } from "../spec/samples.ts";
import { settleOn } from "../support/settle.ts";

const owner = `0x${"ab".repeat(20)}` as Address;
const txHash = `0x${"cd".repeat(32)}` as OrderId;
const DAY_MS = 86_400_000;

function ok(result: unknown): ServerResponse {
  return { status: 200, body: JSON.stringify({ code: 200, errMsg: "OK", result }) };
}

function no(code: number, headers: Record<string, string> = {}): ServerResponse {
  return {
    status: code,
    headers,
    body: JSON.stringify({ code, errMsg: `no ${code}`, result: null }),
  };
}

async function world(respond: (request: ServerRequest) => ServerResponse) {
  const clock = new VirtualClock();
  const network = new VirtualNetwork({ timer: clock, prng: new Prng(3) });
  const requests: ServerRequest[] = [];
  await network.servers.listen({
    host: "venue",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 65_536,
    maxFrameBytes: 1000,
    respond(request) {
      requests.push(request);
      return respond(request);
    },
    connected: () => ({ frame: () => undefined, pong: () => undefined, closed: () => undefined }),
  });
  const client = new VenueClient({ http: network.http, rest: "http://venue:80/" });
  const inputs: Input[] = [];
  const gateway = new Gateway({
    client,
    venueClock: clientClock(client, clock),
    owner,
    concurrency: 2,
    push: (input) => inputs.push(input),
  });
  const settle = settleOn(clock, 60_000);
  return { clock, network, requests, client, inputs, gateway, settle };
}

const signed = { bytesHex: "0xabcd", txHash };

async function outcomeOf(response: ServerResponse): Promise<CommandOutcome> {
  const { client, settle } = await world(() => response);
  return settle(client.submit("cancel", signed));
}

describe("venue client", () => {
  it("puts path parameters into the path, the others into the query, and decodes the result", async () => {
    const { client, requests, settle } = await world(() =>
      ok({ bids: [{ price: "1", quantity: "2" }], asks: [], updatedAt: 1, lastUpdatedId: 2 }),
    );
    const book = await settle(client.call(endpoints.depth, { marketId: "1_2", limit: 5 }));
    expect(book.bids).toEqual([{ price: "1", quantity: "2" }]);
    expect(requests[0]?.path).toBe("/api/v1/market/depth");
    expect([...(requests[0]?.query ?? [])]).toEqual([
      ["marketId", "1_2"],
      ["limit", "5"],
    ]);
  });

  it("turns a readable 4xx into a VenueError with the time to wait", async () => {
    const { client, settle } = await world(() => no(429, { "Retry-After": "1.5" }));
    const error = await settle(client.call(endpoints.time, {})).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VenueError);
    expect(error).toMatchObject({ code: "VENUE_REFUSED", venueCode: 429, retryAfterMs: 1500 });
  });

  it.each([
    ["3600", {}, 60_000],
    ["1e12", {}, 60_000],
    ["0", {}, 0],
    ["-5", {}, undefined],
    ["NaN", {}, undefined],
    ["soon", {}, undefined],
    ["", {}, undefined],
    ["Wed, 21 Oct 2026 07:28:30 GMT", { Date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    ["Wed, 21 Oct 2099 07:28:00 GMT", { Date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 60_000],
    ["Wed, 21 Oct 2026 07:28:30 GMT", { Date: "Wed, 21 Oct 2026 07:29:00 GMT" }, undefined],
    ["Wed, 21 Oct 2026 07:28:30 GMT", {}, undefined],
  ])("bounds the time to wait (Retry-After: %s, %o)", async (value, more, retryAfterMs) => {
    const headers = { "Retry-After": value, ...more };
    const { client, settle } = await world(() => no(503, headers));
    const error = await settle(client.call(endpoints.time, {})).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ outcome: "unknown", context: { retryAfterMs } });
    expect(await outcomeOf(no(429, headers))).toMatchObject({ type: "refused", retryAfterMs });
  });

  it("waits for no Retry-After on a page of another status", async () => {
    const page = { status: 404, headers: { "Retry-After": "60" }, body: "<html>not here</html>" };
    const { client, settle } = await world(() => page);
    const error = await settle(client.call(endpoints.time, {})).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "VENUE_UNREADABLE", context: { retryAfterMs: undefined } });
  });

  it("tells a proxy's unreadable 429 from other failures", async () => {
    const html = { status: 429, headers: { "Retry-After": "7" }, body: "<html>slow down</html>" };
    expect(await outcomeOf(html)).toMatchObject({
      type: "unknown",
      isRateLimited: true,
      retryAfterMs: 7000,
    });
    expect(await outcomeOf(no(503, { "Retry-After": "7" }))).not.toHaveProperty("isRateLimited");
    const { gateway, clock, inputs } = await world(() => html);
    gateway.read({ type: "balances" });
    await clock.runFor(100);
    expect(inputs).toMatchObject([
      { type: "readFailed", reason: "rateLimited", retryAfterMs: 7000 },
    ]);
  });

  it("reports a command's outcome as unknown after an indefinite response", async () => {
    expect(await outcomeOf(ok(txHash))).toEqual({ type: "accepted" });
    expect(await outcomeOf(ok(txHash.toUpperCase().replace("0X", "0x")))).toEqual({
      type: "accepted",
    });
    expect(await outcomeOf(no(400))).toEqual({
      type: "refused",
      reason: "invalid",
      message: "no 400",
      retryAfterMs: undefined,
    });
    const unknowns = [
      no(500),
      no(503),
      ok(null),
      ok(`0x${"0".repeat(64)}`),
      { status: 429, body: "<html>slow down</html>" },
      { status: 200, body: "" },
      { status: 502, body: JSON.stringify({ code: 400, errMsg: "x", result: null }) },
    ];
    for (const response of unknowns)
      expect((await outcomeOf(response)).type, JSON.stringify(response)).toBe("unknown");
  });
});

describe("gateway", () => {
  it("turns every read, even a failed one, into exactly one input", async () => {
    const { gateway, clock, inputs } = await world(({ path }) =>
      path === "/time" ? ok({ serverTime: clock.nowMs() + 5000 }) : no(404),
    );
    gateway.read({ type: "venueTime" });
    gateway.read({ type: "order", orderId: txHash });
    gateway.read({ type: "book", marketId: "1_2" as MarketId });
    gateway.read({ type: "openOrders" });
    await clock.runFor(100);
    expect(inputs).toContainEqual({ type: "order", orderId: txHash, report: "absent" });
    expect(inputs).toContainEqual({
      type: "readFailed",
      read: "book",
      key: "1_2",
      message: expect.stringContaining("no 404"),
      reason: "notFound",
      retryAfterMs: undefined,
    });
    expect(inputs).toContainEqual({
      type: "readFailed",
      read: "openOrders",
      key: "",
      message: expect.any(String),
      reason: "notFound",
      retryAfterMs: undefined,
    });
    const time = inputs.find((input) => input.type === "venueTime");
    expect(time?.type === "venueTime" && Math.abs(time.offsetMs - 5000)).toBeLessThan(3);
    expect(inputs.length).toBe(4);
  });

  it("requests the book before less urgent reads", async () => {
    const { gateway, clock, requests } = await world(() => no(404));
    for (let at = 0; at < 4; at += 1) gateway.read({ type: "markets" });
    gateway.read({ type: "book", marketId: "1_2" as MarketId });
    await clock.runFor(100);
    expect(requests.map(({ path }) => path).indexOf("/api/v1/market/depth")).toBe(2);
  });
});

describe("lists of the account", () => {
  /** A venue that follows D14 and D15: lists newest first, with limits and spans, and no windows into the future. */
  function listServer(rows: readonly { createdAt: number }[], nowMs: () => number) {
    const windows: { from: string | null; to: string | null }[] = [];
    const respond = ({ query }: ServerRequest): ServerResponse => {
      const from = query.get("from");
      const to = query.get("to");
      windows.push({ from, to });
      const now = nowMs();
      if ((from === null) !== (to === null)) return no(400);
      const high = to === null ? now : Number(to);
      const low = from === null ? now - 30 * DAY_MS : Number(from);
      if (high > now || high - low > 90 * DAY_MS || low < now - 730 * DAY_MS || low > high)
        return no(400);
      const page = rows
        .filter(({ createdAt }) => createdAt >= low && createdAt <= high)
        .sort((left, right) => right.createdAt - left.createdAt)
        .slice(0, Number(query.get("limit")));
      return ok(page);
    };
    return { windows, respond };
  }

  function trade(number: number, createdAt: number) {
    return { ...userTrade, tradeId: `t${number}`, id: number, createdAt, price: "1" };
  }

  function order(number: number, createdAt: number) {
    const orderId = `0x${number.toString(16).padStart(64, "0")}`;
    return { ...openOrder, id: number, orderId, txHash: orderId, createdAt, updatedAt: createdAt };
  }

  it("page fills by time and return each once, even when rows of one millisecond are on two pages", async () => {
    const start = 1_700_000_000_000;
    const rows = Array.from({ length: 1700 }, (_, at) =>
      trade(at, start - 3000 - Math.floor(at / 3) * 1000),
    );
    const { respond, windows } = listServer(rows, () => start + 10);
    const { client, settle } = await world(respond);
    const since = start - 600_000;
    const fills = await settle(fetchFills(client, { owner, venueNowMs: start, sinceMs: since }));
    expect(new Set(fills.map(({ tradeId }) => tradeId)).size).toBe(fills.length);
    expect(fills.length).toBe(rows.filter(({ createdAt }) => createdAt >= since).length);
    expect(windows[0]).toEqual({ from: null, to: null });
    expect(windows.length).toBeGreaterThan(3);
  });

  it("take a rate token for every page after the first, in turn with other requests", async () => {
    const now = new VirtualClock().nowMs();
    const rows = Array.from({ length: 250 }, (_, at) => order(at, now - 5000 - at));
    const { respond } = listServer(rows, () => now + 10);
    const { gateway, clock, inputs, requests } = await world(respond);
    gateway.read({ type: "openOrders" });
    await clock.runFor(5);
    expect([requests.length, inputs]).toEqual([1, [{ type: "tokenWanted" }]]);
    let isOther = false;
    const other = async (): Promise<void> => {
      await gateway.waitForToken();
      isOther = true;
    };
    void other();
    gateway.grant(1);
    await clock.runFor(5);
    expect([requests.length, isOther]).toEqual([2, false]);
    gateway.grant(2);
    await clock.runFor(5);
    expect([requests.length, isOther]).toEqual([3, true]);
    const response = inputs.at(-1);
    expect(response?.type === "openOrders" && response.orders.length).toBe(250);
    const late = gateway.waitForToken();
    gateway.close();
    await expect(late).rejects.toMatchObject({ outcome: "not-sent" });
    await expect(gateway.waitForToken()).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("hand over the pages of a list of fills one by one, each fill once, so that no input is longer than a page", async () => {
    const now = new VirtualClock().nowMs();
    const rows = Array.from({ length: 1700 }, (_, at) =>
      trade(at, now - 3000 - Math.floor(at / 3) * 10),
    );
    const { respond } = listServer(rows, () => now + 10);
    const { gateway, clock, inputs } = await world(respond);
    gateway.read({ type: "fills", sinceMs: now - 600_000 });
    for (let page = 0; page < 5; page += 1) {
      await clock.runFor(5);
      gateway.grant(1);
    }
    await clock.runFor(5);
    const parts = inputs.flatMap((input) => (input.type === "fills" ? [input] : []));
    expect(parts.map(({ fills, isPart }) => [fills.length <= 500, isPart])).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [true, undefined],
    ]);
    const ids = parts.flatMap(({ fills }) => fills.map(({ tradeId }) => tradeId));
    expect([ids.length, new Set(ids).size]).toEqual([1700, 1700]);
  });

  it("refuse more than 5000 open orders, however many pages the venue has", async () => {
    const now = 1_700_000_000_000;
    const rows = Array.from({ length: 5_001 }, (_, at) => order(at, now - 5000 - at));
    const { respond } = listServer(rows, () => now + 10);
    const { client, settle } = await world(respond);
    const list = settle(fetchOpenOrders(client, { owner, venueNowMs: now }));
    await expect(list).rejects.toMatchObject({ code: "LIST_TOO_LONG" });
    const few = await world(listServer(rows.slice(1), () => now + 10).respond);
    const all = few.settle(fetchOpenOrders(few.client, { owner, venueNowMs: now }));
    await expect(all).resolves.toHaveLength(5_000);
  });

  it("find open orders of the default span with one request, and older ones window by window", async () => {
    const now = 1_700_000_000_000;
    const rows = [
      ...Array.from({ length: 250 }, (_, at) => order(at, now - 5000 - at)),
      order(900, now - 100 * DAY_MS),
      order(901, now - 400 * DAY_MS),
    ];
    const { respond, windows } = listServer(rows, () => now + 10);
    const { client, settle } = await world(respond);
    const recent = await settle(fetchOpenOrders(client, { owner, venueNowMs: now }));
    expect(recent.length).toBe(250);
    windows.length = 0;
    const all = await settle(
      fetchOpenOrders(client, { owner, venueNowMs: now, sinceMs: now - 700 * DAY_MS }),
    );
    expect(all.length).toBe(252);
    expect(windows.length).toBeLessThan(16);
  });

  it("reject with LIST_MOVING when the list grows faster than it can be read", async () => {
    const now = 1_700_000_000_000;
    const { respond } = listServer(
      Array.from({ length: 120 }, (_, at) => order(at, now - at)),
      () => now + 10,
    );
    const { client, settle } = await world(respond);
    await expect(settle(fetchOpenOrders(client, { owner, venueNowMs: now }))).rejects.toMatchObject(
      { code: "LIST_MOVING" },
    );
  });
});
