import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { limitReads } from "../../src/platform/limit-reads.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { Turns } from "../../src/platform/turns.ts";
import type { RunningServer, ServerOptions } from "../../src/ports/server.ts";
import { serveLoopback } from "../support/loopback-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Holds the event loop as expensive work does. */
function work(ms = 3): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

/** Counts turns of the event loop, and how many calls of `count` the fullest one had. */
function fullestTurn(): { count(): void; readonly most: number } {
  let most = 0;
  let inTurn = 0;
  const next = (): void => {
    inTurn = 0;
  };
  return {
    count() {
      if (inTurn === 0) setImmediate(next);
      inTurn += 1;
      most = Math.max(most, inTurn);
    },
    get most() {
      return most;
    },
  };
}

async function serve(options: Partial<ServerOptions>): Promise<RunningServer> {
  const server = await serveLoopback(options);
  cleanups.push(() => server.close());
  return server;
}

describe("turns of the event loop", () => {
  it("do work at once until the turn has no time left, and the rest later in its order", async () => {
    const turns = new Turns();
    const done: number[] = [];
    for (let at = 0; at < 8; at += 1) {
      turns.run(() => {
        work();
        done.push(at);
      });
    }
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThanOrEqual(3);
    while (done.length < 8) await turn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await turn();
    expect(turns.run(() => undefined)).toBe(true);
  });

  it("go on with the rest when waiting work throws", async () => {
    const thread = new Worker(path.join(import.meta.dirname, "throwing-work.ts"));
    cleanups.push(() => thread.terminate());
    const [told]: unknown[] = await once(thread, "message");
    expect(told).toEqual({ done: [0, 1, 4, 5], thrown: ["work 2", "work 3"] });
  });

  it("throw at the caller what work throws that is done at once, and go on", async () => {
    const turns = new Turns();
    const fail = (): void => {
      throw new Error("a bug");
    };
    expect(() => turns.run(fail)).toThrow("a bug");
    const done: string[] = [];
    turns.run(() => done.push("next"));
    while (done.length === 0) await turn();
    expect(turns.run(() => undefined)).toBe(true);
  });

  it("bound what many clients' requests take of one turn", async () => {
    const turns = fullestTurn();
    const served = { requests: 0 };
    const { port } = await serve({
      respond() {
        work();
        turns.count();
        served.requests += 1;
        return { status: 200, body: "ok" };
      },
    });
    const clients = Array.from({ length: 40 }, () => connect(port, "127.0.0.1"));
    await Promise.all(clients.map((client) => once(client, "connect")));
    for (const client of clients) cleanups.push(() => client.destroy());
    // The server accepts connections over several turns, so only the second requests come together.
    for (const total of [40, 80]) {
      for (const client of clients) client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      while (served.requests < total) await turn();
    }
    expect(turns.most).toBeLessThanOrEqual(6);
  });

  it("bound what many clients' frames take of one turn, and lose none", async () => {
    const turns = fullestTurn();
    const frames = new Map<number, string>();
    let clientCount = 0;
    const { port } = await serve({
      connected() {
        const number = clientCount;
        clientCount += 1;
        return {
          frame(data) {
            work();
            turns.count();
            frames.set(number, (frames.get(number) ?? "") + new TextDecoder().decode(data));
          },
          pong: () => undefined,
          closed: () => undefined,
        };
      },
    });
    const clients = Array.from({ length: 15 }, () => new WebSocket(`ws://127.0.0.1:${port}/ws`));
    await Promise.all(clients.map((client) => once(client, "open")));
    for (const client of clients) cleanups.push(() => client.terminate());
    for (const text of "abcd") for (const client of clients) client.send(text);
    while ([...frames.values()].join("").length < 60) await turn();
    expect([...frames.values()]).toEqual(Array.from({ length: 15 }, () => "abcd"));
    expect(turns.most).toBeLessThanOrEqual(6);
  });

  it("come between the frames of a venue that sends megabytes at once", async () => {
    const venue = new Worker(path.join(import.meta.dirname, "flooding-venue.ts"));
    cleanups.push(() => venue.terminate());
    const [port]: unknown[] = await once(venue, "message");
    const turns = fullestTurn();
    const read = { frames: 0 };
    const socket = createSocketConnector().connect(`ws://127.0.0.1:${String(port)}`, {
      opened: () => undefined,
      frame() {
        turns.count();
        // Slow enough for the kernel to have the next ones.
        work(1);
        read.frames += 1;
      },
      pong: () => undefined,
      closed: () => undefined,
    });
    cleanups.push(() => socket.terminate());
    while (read.frames < 200) await turn();
    expect(turns.most).toBeLessThanOrEqual(4);
  });

  it("come between the slices of what a server sends at once", async () => {
    const flood = createServer((socket) => socket.end("x".repeat(60_000)));
    flood.listen(0, "127.0.0.1");
    await once(flood, "listening");
    cleanups.push(() => flood.close());
    const socket = connect((flood.address() as AddressInfo).port, "127.0.0.1");
    limitReads(socket, Number.POSITIVE_INFINITY);
    const turns = fullestTurn();
    let length = 0;
    let longest = 0;
    socket.on("readable", () => {
      for (let bytes: unknown = socket.read(); bytes !== null; bytes = socket.read()) {
        turns.count();
        work(1);
        if (!(bytes instanceof Buffer)) break;
        length += bytes.length;
        longest = Math.max(longest, bytes.length);
      }
    });
    await once(socket, "end");
    expect({ length, longest }).toEqual({ length: 60_000, longest: 2048 });
    expect(turns.most).toBeLessThanOrEqual(4);
  });
});
