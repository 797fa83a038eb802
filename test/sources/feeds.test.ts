import { afterEach, describe, expect, it, vi } from "vitest";
import { createHttp } from "../../src/platform/http.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemTimer } from "../../src/platform/timer.ts";
import type { ServerOptions, ServerSocket } from "../../src/ports/server.ts";
import type { FeedSettings, JsonFeedSettings } from "../../src/sources/feed-settings.ts";
import type { PriceFeed, SourceInput } from "../../src/sources/price-feed.ts";
import { priceFeeds } from "../../src/sources/price-feeds.ts";
import { serveLoopback } from "../support/loopback-server.ts";
import { PATIENCE } from "../support/patience.ts";

const http = createHttp();
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

interface Received {
  readonly feed: PriceFeed;
  readonly values: SourceInput[];
  readonly lines: string[];
}

async function started(feed: FeedSettings, load?: () => Promise<unknown>): Promise<Received> {
  const values: SourceInput[] = [];
  const lines: string[] = [];
  const line = (_: object, text: string): void => {
    lines.push(text);
  };
  const log = { debug: line, info: line, warn: line, error: line };
  const ports = {
    http,
    connector: createSocketConnector(),
    clock: systemClock,
    timer: systemTimer,
  };
  const made = await priceFeeds(
    [{ name: "btc", feed }],
    { ...ports, log, failed: (source) => lines.push(`${source} gives no price`) },
    (value) => values.push(value),
    load,
  );
  made.start();
  ending.push(() => made.stop());
  return { feed: made, values, lines };
}

async function served(options: Partial<ServerOptions>) {
  const server = await serveLoopback(options);
  ending.push(() => server.close());
  return server;
}

const json = (url: string, more: Partial<JsonFeedSettings> = {}): JsonFeedSettings => ({
  type: "json",
  url,
  everyMs: 100,
  send: undefined,
  paths: { bid: "data.0.bid", ask: "data.0.ask", time: "at" },
  ...more,
});

describe("a JSON document over HTTP", () => {
  it("is read again and again, numbers as text or not, with its time in any unit", async () => {
    const bodies = [
      { data: [{ bid: "100.5", ask: 101 }], at: 1_767_225_600 },
      { data: [{ bid: 1e-7, ask: "2e-7" }], at: "1767225600123" },
      { data: [{ bid: 1, ask: 2 }], at: 1_767_225_600_123_456 },
      { data: [{ bid: 1, ask: 2 }], at: "2026-01-01T00:00:00Z" },
      { data: [{ bid: 1, ask: 2 }] },
    ];
    const { port } = await served({
      respond: () => ({ status: 200, body: JSON.stringify(bodies.shift() ?? {}) }),
    });
    const { values } = await started(json(`http://127.0.0.1:${port}/price`));
    await vi.waitFor(() => expect(values).toHaveLength(5), PATIENCE);
    expect(values).toEqual([
      { type: "source", name: "btc", bid: 100.5, ask: 101, timeMs: 1_767_225_600_000 },
      { type: "source", name: "btc", bid: 1e-7, ask: 2e-7, timeMs: 1_767_225_600_123 },
      { type: "source", name: "btc", bid: 1, ask: 2, timeMs: 1_767_225_600_123.456 },
      { type: "source", name: "btc", bid: 1, ask: 2, timeMs: 1_767_225_600_000 },
      { type: "source", name: "btc", bid: 1, ask: 2 },
    ]);
  });

  it("is tried again after failures, which are logged once an episode", async () => {
    const answers = [
      { status: 500, body: "no" },
      { status: 200, body: "<html>" },
      { status: 200, body: JSON.stringify({ data: [] }) },
      { status: 200, body: JSON.stringify({ data: [{ bid: 1, ask: 2 }] }) },
    ];
    const { port } = await served({
      respond: () => answers.shift() ?? { status: 200, body: '{"data":[{"bid":3,"ask":4}]}' },
    });
    const { values, lines } = await started(json(`http://127.0.0.1:${port}/price`));
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(1), PATIENCE);
    expect(lines).toEqual(["btc gives no price", "the price source is back"]);
  });

  it("is asked no more once it is stopped", async () => {
    let asked = 0;
    const { port } = await served({
      respond: () => {
        asked += 1;
        return { status: 200, body: '{"data":[{"bid":3,"ask":4}]}' };
      },
    });
    const { feed, values } = await started(json(`http://127.0.0.1:${port}/`));
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(0), PATIENCE);
    feed.stop();
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 300));
    // One may have been on its way.
    expect(asked - before).toBeLessThan(2);
  });
});

describe("JSON messages over a WebSocket", () => {
  it("are taken after the message that asks for them; those without a price are passed over", async () => {
    const sent: string[] = [];
    const { port } = await served({
      connected: (socket) => ({
        frame(data) {
          sent.push(new TextDecoder().decode(data));
          socket.send('{"result":"ok"}');
          socket.send("garbage");
          socket.send('{"data":[{"bid":"1","ask":"2"}]}');
          socket.send('{"data":[{"bid":"3","ask":"4"}]}');
        },
        pong: () => undefined,
        closed: () => undefined,
      }),
    });
    const { values } = await started(json(`ws://127.0.0.1:${port}/ws`, { send: '{"op":"sub"}' }));
    await vi.waitFor(() => expect(values.map(({ bid }) => bid)).toEqual([1, 3]), PATIENCE);
    expect(sent).toEqual(['{"op":"sub"}']);
  });

  it("are taken from a new connection when the old one ends", async () => {
    const sockets: ServerSocket[] = [];
    const { port } = await served({
      connected(socket) {
        sockets.push(socket);
        socket.send(`{"b":"${sockets.length}","a":"9"}`);
        return { frame: () => undefined, pong: () => undefined, closed: () => undefined };
      },
    });
    const paths = { bid: "b", ask: "a", time: undefined };
    const { values, lines } = await started(json(`ws://127.0.0.1:${port}/ws`, { paths }));
    await vi.waitFor(() => expect(values).toHaveLength(1), PATIENCE);
    sockets[0]?.terminate();
    await vi.waitFor(() => expect(values.map(({ bid }) => bid)).toEqual([1, 2]), PATIENCE);
    expect(lines).toEqual(["btc gives no price", "the price source is back"]);
  });
});

describe("ccxt", () => {
  const feed: FeedSettings = { type: "ccxt", exchange: "upbit", symbol: "BTC/KRW", everyMs: 100 };

  it("gives the ticker's bid and ask with its time", async () => {
    class Upbit {
      fetchTicker(symbol: string) {
        return Promise.resolve({ symbol, bid: 1, ask: 2, timestamp: 7 });
      }
    }
    const { values } = await started(feed, async () => ({
      default: { exchanges: ["upbit"], upbit: Upbit },
    }));
    await vi.waitFor(
      () => expect(values[0]).toMatchObject({ bid: 1, ask: 2, timeMs: 7 }),
      PATIENCE,
    );
  });

  it("says what to install where the package is missing, and which exchanges it has", async () => {
    await expect(started(feed, () => Promise.reject(new Error("not found")))).rejects.toMatchObject(
      { code: "CCXT_MISSING", hint: expect.stringContaining("npm install ccxt") },
    );
    await expect(
      started(feed, async () => ({ default: { exchanges: ["upbitt"] } })),
    ).rejects.toMatchObject({ code: "SOURCE_INVALID", message: expect.stringContaining("upbitt") });
  });
});
