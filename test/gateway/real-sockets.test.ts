import { afterEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { Prng } from "../../src/base/prng.ts";
import type { MarketId, OrderId } from "../../src/domain/ids.ts";
import { defaultStreamTiming, type StreamTiming } from "../../src/gateway/stream-timing.ts";
import { Streams } from "../../src/gateway/streams.ts";
import type { Input } from "../../src/kernel/input.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createServerFactory } from "../../src/platform/server.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { systemTimer } from "../../src/platform/timer.ts";
import type { SocketConnector } from "../../src/ports/socket.ts";
import { streamLimits, type StreamLimits } from "../../src/spec/limits.ts";
import { Connection, connectionContext } from "../../src/venue/streams/connection.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { limit } from "../support/exchange.ts";
import { silentLog, testCrypto, TestTrader } from "../support/venue.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { Gate } from "../soak/real/gate.ts";

/** Runs the streams against the paper venue over real sockets on loopback. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openVenue(
  options: { port?: number; streamLimits?: Partial<StreamLimits> } = {},
): Promise<{ venue: RunningVenue; trader: TestTrader; close(): Promise<void> }> {
  const trader = new TestTrader(await testCrypto(), 1, systemClock);
  const venue = await startRealVenue(
    { accounts: { [trader.address]: { "1": "1000000", "2": "1000000000" } } },
    options,
  );
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await venue.close();
  };
  closers.push(close);
  return { venue, trader, close };
}

async function openStreams(
  url: string,
  options: { timing?: Partial<StreamTiming>; connector?: SocketConnector } = {},
) {
  const crypto = await testCrypto();
  const inputs: Input[] = [];
  const waiting: (() => void)[] = [];
  const streams = new Streams({
    connector: options.connector ?? createSocketConnector(),
    url,
    clock: systemClock,
    timer: systemTimer,
    log: silentLog,
    prng: new Prng(1),
    keccak256: (bytes) => crypto.keccak256(bytes),
    markets: ["1_2" as MarketId],
    owner: undefined,
    timing: { ...defaultStreamTiming, backoffMs: 50, backoffMaxMs: 100, ...options.timing },
    push(input) {
      inputs.push(input);
      for (const look of waiting) look();
    },
  });
  closers.push(() => streams.stop());
  streams.start();
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        waiting.splice(waiting.indexOf(look), 1);
        resolve();
      };
      waiting.push(look);
      look();
    });
  const states = (): string[] =>
    inputs.flatMap((input) =>
      input.type === "stream" && input.state !== "alive" ? [input.state] : [],
    );
  const depthIds = (): number[] =>
    inputs.flatMap((input) =>
      input.type === "depth" ? [input.event.firstId, input.event.finalId] : [],
    );
  return { streams, inputs, states, depthIds, until };
}

let orders = 0;
/** Puts one order in the book, which is one depth event. */
function placeOne({ exchange }: RunningVenue, { address }: TestTrader): void {
  orders += 1;
  const hash = `0x${orders.toString(16).padStart(64, "0")}` as OrderId;
  const price = String(1000 + (orders % 5000) / 10);
  exchange.execute(address, limit("BUY", price, "0.01"), systemClock.nowMs(), { txHash: hash });
}

describe("streams over real sockets", () => {
  it("outlive the venue's connection lifetime without losing an event", async () => {
    const { venue, trader } = await openVenue({ streamLimits: { lifetimeMs: 700 } });
    const { streams, inputs, states, depthIds, until } = await openStreams(venue.ws, {
      timing: { lifetimeMs: 350, overlapMs: 200 },
    });
    await until(() => states().length === 1);
    const busy = setInterval(() => placeOne(venue, trader), 2);
    closers.push(() => clearInterval(busy));
    await until(() => streams.handovers >= 4 && inputs.at(-1)?.type === "depth");
    expect(states()).toEqual(["opened"]);
    const ids = depthIds();
    for (let at = 2; at < ids.length; at += 2) expect(ids[at]).toBe((ids[at - 1] ?? 0) + 1);
    expect(ids.length).toBeGreaterThan(200);
  });

  it("close when the venue stops, and reopen when it is back on its port", async () => {
    const first = await openVenue();
    const port = Number(new URL(first.venue.rest).port);
    const { states, inputs, until } = await openStreams(first.venue.ws);
    await until(() => states().length === 1);
    await first.close();
    await until(() => states().includes("closed"));
    expect(inputs.findLast((input) => input.type === "stream")).toMatchObject({
      state: "closed",
    });
    const second = await openVenue({ port });
    await until(() => states().at(-1) === "opened");
    placeOne(second.venue, second.trader);
    await until(() => inputs.at(-1)?.type === "depth");
  });

  it("detect a half-open socket by their own ping and reconnect", async () => {
    const { venue } = await openVenue();
    const gate = new Gate(Number(new URL(venue.ws).port));
    await gate.open();
    closers.push(() => gate.close());
    const { states, inputs, until } = await openStreams(`ws://127.0.0.1:${gate.port}/ws`, {
      timing: { pingMs: 50, pongMs: 150 },
    });
    await until(() => inputs.some((input) => input.type === "stream" && input.state === "alive"));
    await gate.fail("swallowed");
    await until(() => states().length === 2);
    await gate.recover();
    await until(() => states().length === 3);
    expect(states()).toEqual(["opened", "closed", "opened"]);
    expect(inputs.find((input) => input.type === "stream" && input.state === "closed")).toEqual({
      type: "stream",
      state: "closed",
      reason: "no answer to a ping within 150 ms",
    });
  });

  it("are dropped by the venue when they leave 16 MiB unread, without effect on other clients, and reconnect", async () => {
    const venue = await openBroadcast();
    const slow = pausingConnector();
    const patient = { pingMs: 60_000, pongMs: 60_000 };
    const reader = await openStreams(venue.url, { timing: patient });
    const sleeper = await openStreams(venue.url, { timing: patient, connector: slow.connector });
    await reader.until(() => reader.states().length === 1);
    await sleeper.until(() => sleeper.states().length === 1);
    slow.pause();
    // 16 MiB plus the buffers of both ends.
    for (let id = 1; id < 2_000 && venue.dropped.length === 0; id += 1) {
      venue.broadcast(longDepth(id));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(venue.dropped).toEqual(["it does not read what it is sent"]);
    slow.resume();
    await sleeper.until(() => sleeper.states().length === 3);
    expect(sleeper.states()).toEqual(["opened", "closed", "opened"]);
    expect(reader.states()).toEqual(["opened"]);
  });
});

/** A depth message of some 100 KiB. */
function longDepth(id: number): string {
  const bids = Array.from({ length: 5_000 }, (_, level) => [String(1 + level), `${id}.12345`]);
  const result = { marketId: "1_2", bids, asks: [], firstId: id, finalId: id, time: 1 };
  return JSON.stringify({ method: "subscription", params: { channel: "depth@1_2", result } });
}

/** The venue's socket server without a venue; the test broadcasts its frames. */
async function openBroadcast(): Promise<{
  url: string;
  dropped: string[];
  broadcast(text: string): void;
}> {
  const connections = new Set<Connection>();
  const shared = connectionContext(systemTimer, streamLimits);
  const dropped: string[] = [];
  const server = await createServerFactory().listen({
    host: "127.0.0.1",
    port: 0,
    socketPath: "/ws",
    maxBodyBytes: 1000,
    maxFrameBytes: 1000,
    respond: () => ({ status: 404, body: "" }),
    connected(socket) {
      const connection = new Connection(socket, shared, (reason) => {
        dropped.push(reason);
        connections.delete(connection);
      });
      return {
        frame(data) {
          const { id } = JSON.parse(new TextDecoder().decode(data)) as { id: number };
          connection.send(JSON.stringify({ result: "ok", id }));
          connections.add(connection);
        },
        pong: () => connection.pong(),
        closed() {
          connection.closed();
          connections.delete(connection);
        },
      };
    },
  });
  closers.push(() => server.close());
  return {
    url: `ws://127.0.0.1:${server.port}/ws`,
    dropped,
    broadcast(text) {
      for (const connection of connections) connection.send(text);
    },
  };
}

/** The platform's use of `ws`, except that the first socket can stop reading. */
function pausingConnector(): { connector: SocketConnector; pause(): void; resume(): void } {
  const sockets: WebSocket[] = [];
  return {
    pause: () => sockets[0]?.pause(),
    resume: () => sockets[0]?.resume(),
    connector: {
      connect(url, handlers) {
        const socket = new WebSocket(url, { perMessageDeflate: false });
        sockets.push(socket);
        socket.on("open", () => handlers.opened());
        socket.on("message", (data) => {
          if (data instanceof Buffer) handlers.frame(data);
        });
        socket.on("pong", () => handlers.pong());
        socket.on("error", () => undefined);
        socket.on("close", (code, reason) => handlers.closed(code, reason.toString()));
        return {
          send: (text) => socket.send(text),
          ping: () => socket.ping(),
          close: () => socket.close(1000),
          terminate: () => socket.terminate(),
        };
      },
    },
  };
}
