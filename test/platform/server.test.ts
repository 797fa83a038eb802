import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket as TcpSocket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TouchlineError } from "../../src/base/error.ts";
import { createHttp } from "../../src/platform/http.ts";
import type { ServerLimits } from "../../src/platform/server.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";
import type {
  RunningServer,
  ServerOptions,
  ServerRequest,
  ServerSocket,
} from "../../src/ports/server.ts";
import { serveLoopback } from "../support/loopback-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { PATIENCE } from "../support/patience.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(
  options: Partial<ServerOptions> = {},
  limits: ServerLimits = {},
): Promise<RunningServer> {
  const server = await serveLoopback(options, limits);
  cleanups.push(() => server.close());
  return server;
}

describe("server over loopback", () => {
  it("passes on path, query, headers and body", async () => {
    const seen: ServerRequest[] = [];
    const server = await serve({
      respond(request) {
        seen.push(request);
        return { status: 201, headers: { "x-y": "z" }, body: "made" };
      },
    });
    const http = createHttp();
    cleanups.push(() => http.close());
    const response = await http.request({
      method: "POST",
      url: `http://127.0.0.1:${server.port}/a/b?c=1&c=2`,
      headers: { "Content-Type": "application/json" },
      body: "{}",
      timeoutMs: 2000,
    });
    expect(response.status).toBe(201);
    expect(response.headers["x-y"]).toBe("z");
    expect(seen[0]).toMatchObject({ method: "POST", path: "/a/b" });
    expect(seen[0]?.query.getAll("c")).toEqual(["1", "2"]);
    expect(seen[0]?.headers["content-type"]).toBe("application/json");
    expect(new TextDecoder().decode(seen[0]?.body)).toBe("{}");
  });

  it("passes on no body when it is too long, with or without a declared length", async () => {
    const server = await serve({
      respond: ({ body }) => ({ status: body === undefined ? 413 : 200, body: "" }),
    });
    const long = "x".repeat(200);
    const declared = await sendRaw(
      server.port,
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 200\r\n\r\n${long}`,
    );
    expect(declared).toMatch(/^HTTP\/1\.1 413/);
    const chunked = await sendRaw(
      server.port,
      `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nc8\r\n${long}\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413/);
  });

  it("ignores upgrades to anything but a WebSocket, such as h2c", async () => {
    const server = await serve();
    for (const upgrade of ["h2c", "websocket", "TLS/1.0, HTTP/1.1"]) {
      const offer = `GET /time HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: ${upgrade}\r\n\r\n`;
      expect(await sendRaw(server.port, offer), upgrade).toMatch(/^HTTP\/1\.1 200 [^]*ok$/);
    }
  });

  it("accepts an absolute URL as the target, as sent to proxies", async () => {
    const seen: string[] = [];
    const server = await serve({
      respond({ path, query }) {
        seen.push(`${path} ${query.toString()}`);
        return { status: 200, body: "ok" };
      },
    });
    for (const target of ["http://a:1/b/c?d=1", "HTTP://a", "http://a?d=1", "//a/b", "*"]) {
      const method = target === "*" ? "OPTIONS" : "GET";
      await sendRaw(
        server.port,
        `${method} ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      );
    }
    expect(seen).toEqual(["/b/c d=1", "/ ", "/ d=1", "//a/b ", "* "]);
  });

  it("explains why it refuses a request", async () => {
    const server = await serve();
    const hostless = await sendRaw(server.port, "GET /time HTTP/1.1\r\nconnection: close\r\n\r\n");
    expect(hostless).toMatch(/^HTTP\/1\.1 400 [^]*"code":400,"errMsg":"[^"]*host\."/);
    expect(await sendRaw(server.port, "GET /time HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200/);
    const head = "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n";
    expect(await sendRaw(server.port, `${head}expect: tea\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 417 [^]*"code":417/,
    );
    // A client that asks with 100-continue need not send the overlong body.
    const asked = `${head}expect: 100-continue\r\ncontent-length: `;
    expect(await sendRaw(server.port, `${asked}200\r\n\r\n`)).not.toMatch(/100 Continue/);
    expect(await sendRaw(server.port, `${asked}2\r\n\r\n{}`)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/,
    );
  });

  describe("with clients that keep it busy or silent", () => {
    const get = (path: string, more = ""): string =>
      `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
    const close = "connection: close\r\n";
    const open = async (port: number, bytes = ""): Promise<TcpSocket> => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      cleanups.push(() => socket.destroy());
      await once(socket, "connect");
      if (bytes !== "") socket.write(bytes);
      return socket;
    };

    it("serves one request of a connection at a time, in order, and a client that reads no response no more", async () => {
      const served: string[] = [];
      const server = await serve({
        respond({ path }) {
          served.push(path);
          return { status: 200, body: path.startsWith("/long") ? "x".repeat(8_000_000) : path };
        },
      });
      const greedy = await open(server.port, get("/long").repeat(60));
      greedy.pause();
      await vi.waitUntil(() => served.length > 0, PATIENCE);
      for (let at = 0; at < 20; at += 1) await sendRaw(server.port, get("/short", close));
      expect(served.filter((path) => path === "/long").length).toBeLessThan(10);
      const paths = Array.from({ length: 50 }, (_, at) => `/${at}.`);
      const responses = await sendRaw(
        server.port,
        [...paths.map((path) => get(path)), get("/end", close)].join(""),
      );
      expect(responses.match(/\/(\d+\.|end)(?=HTTP|$)/g)).toEqual([...paths, "/end"]);
    });

    it("reads few requests of a client ahead of their responses, and serves all of them in the end", async () => {
      let parsed = 0;
      const count = (): void => {
        parsed += 1;
      };
      subscribe("http.server.request.start", count);
      cleanups.push(() => unsubscribe("http.server.request.start", count));
      let respond: () => void = () => undefined;
      const server = await serve({
        respond: ({ path }) =>
          path === "/slow"
            ? new Promise((resolve) => {
                respond = () => resolve({ status: 200, body: "slow" });
              })
            : { status: 200, body: path },
      });
      const paths = Array.from({ length: 1_500 }, (_, at) => `/${at}.`);
      const responses = sendRaw(
        server.port,
        [get("/slow"), ...paths.map((path) => get(path)), get("/end", close)].join(""),
      );
      await vi.waitUntil(() => respond.name !== "", PATIENCE);
      for (let at = 0; at < 20; at += 1) await sendRaw(server.port, get("/short", close));
      expect(parsed - 20).toBeLessThan(80);
      respond();
      expect((await responses).match(/(slow|\/\d+\.|\/end)(?=HTTP|$)/g)).toEqual([
        "slow",
        ...paths,
        "/end",
      ]);
    });

    it("closes the connection that never sent a request before one that did, and never one in use", async () => {
      let respond: () => void = () => undefined;
      const server = await serve(
        {
          respond: ({ path }) =>
            path === "/slow"
              ? new Promise((resolve) => {
                  respond = () => resolve({ status: 200, body: "slow" });
                })
              : { status: 200, body: "ok" },
        },
        { maxConnections: 4 },
      );
      const used = await open(server.port, get("/"));
      await once(used, "data");
      const busy = await open(server.port, get("/slow"));
      await vi.waitUntil(() => respond.name !== "", PATIENCE);
      const silent: TcpSocket[] = [];
      for (let at = 0; at < 8; at += 1) silent.push(await open(server.port));
      await vi.waitUntil(() => silent.filter(({ destroyed }) => destroyed).length === 6, PATIENCE);
      expect(silent.map(({ destroyed }) => destroyed).slice(-2)).toEqual([false, false]);
      expect(await sendRaw(server.port, get("/", close))).toMatch(/ok$/);
      used.write(get("/"));
      expect(`${(await once(used, "data"))[0]}`).toMatch(/ok$/);
      respond();
      expect(`${(await once(busy, "data"))[0]}`).toMatch(/slow$/);
    });

    it("disconnects the slowest readers when all together have too much to read", async () => {
      const server = await serve(
        { respond: () => ({ status: 200, body: "x".repeat(16_000_000) }) },
        { maxUnsentBytes: 40_000_000 },
      );
      const slow = [];
      for (let at = 0; at < 6; at += 1) {
        const socket = await open(server.port, get("/"));
        socket.pause();
        slow.push(socket);
      }
      const good = await sendRaw(server.port, get("/", close));
      expect(good.length).toBeGreaterThan(16_000_000);
      let cut = 0;
      for (const socket of slow) {
        let length = 0;
        socket.on("data", (data) => {
          length += data.length;
          if (length >= 16_000_000) socket.destroy();
        });
        socket.on("close", () => {
          if (length < 16_000_000) cut += 1;
        });
        socket.resume();
        await once(socket, "close");
      }
      expect(cut).toBeGreaterThan(2);
    });
  });

  it("reports that the port is taken", async () => {
    const server = await serve();
    const second = serve({ port: server.port });
    await expect(second).rejects.toThrow(TouchlineError);
    await expect(second).rejects.toMatchObject({ code: "PORT_TAKEN" });
  });
});

interface Seen {
  events: string[];
  closed: Promise<number>;
}

function dial(
  url: string,
  options = {},
): {
  seen: Seen;
  socket: ReturnType<ReturnType<typeof createSocketConnector>["connect"]>;
  opened: Promise<void>;
} {
  const events: string[] = [];
  let onOpen: () => void = () => undefined;
  let onClosed: (code: number) => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    onOpen = resolve;
  });
  const closed = new Promise<number>((resolve) => {
    onClosed = resolve;
  });
  const socket = createSocketConnector(options).connect(url, {
    opened: () => {
      events.push("opened");
      onOpen();
    },
    frame: (data) => events.push(new TextDecoder().decode(data)),
    pong: () => events.push("pong"),
    closed: (code) => {
      events.push("closed");
      onClosed(code);
    },
  });
  return { seen: { events, closed }, socket, opened };
}

describe("web sockets over loopback", () => {
  it("carry frames and pings both ways and report the end once on both sides", async () => {
    const server: { socket?: ServerSocket; events: string[] } = { events: [] };
    const running = await serve({
      connected(socket) {
        server.socket = socket;
        return {
          frame: (data) => {
            server.events.push(new TextDecoder().decode(data));
            socket.send("back");
            socket.ping();
          },
          pong: () => server.events.push("pong"),
          closed: () => server.events.push("closed"),
        };
      },
    });
    const { seen, socket, opened } = dial(`ws://127.0.0.1:${running.port}/ws`);
    await opened;
    socket.send("there");
    socket.ping();
    await vi.waitUntil(() => seen.events.length + server.events.length === 5, PATIENCE);
    socket.close();
    expect(await seen.closed).toBe(1000);
    socket.terminate();
    await vi.waitUntil(() => server.events.includes("closed"), PATIENCE);
    expect(seen.events.toSorted()).toEqual(["back", "closed", "opened", "pong"]);
    expect(server.events).toEqual(["there", "pong", "closed"]);
    // Sending on a closed socket does nothing, since the close was already reported.
    socket.send("late");
    server.socket?.send("late");
  });

  it("report a failed connection exactly once: refused, wrong path, invalid address, no handshake", async () => {
    const running = await serve();
    for (const url of ["ws://127.0.0.1:1/ws", `ws://127.0.0.1:${running.port}/other`, "nonsense"]) {
      const { seen } = dial(url);
      await seen.closed;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(seen.events, url).toEqual(["closed"]);
    }
  });

  it("give up on a server that never completes the handshake", async () => {
    const { createServer } = await import("node:net");
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => silent.close());
    const address = silent.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const { seen } = dial(`ws://127.0.0.1:${address.port}/ws`, { handshakeTimeoutMs: 50 });
    await seen.closed;
    expect(seen.events).toEqual(["closed"]);
  });

  it("close on a frame that is too long, in either direction", async () => {
    const running = await serve({
      connected: (socket) => ({
        frame: () => socket.send("y".repeat(3000)),
        pong: () => undefined,
        closed: () => undefined,
      }),
    });
    const big = dial(`ws://127.0.0.1:${running.port}/ws`);
    await big.opened;
    big.socket.send("x".repeat(2000));
    expect(await big.seen.closed).toBe(1009);
    const small = dial(`ws://127.0.0.1:${running.port}/ws`, { maxFrameBytes: 2000 });
    await small.opened;
    small.socket.send("x");
    await small.seen.closed;
    expect(small.seen.events).toEqual(["opened", "closed"]);
  });

  it("refuse a bad handshake and too many sockets with a message, while requests still work", async () => {
    const running = await serve({}, { maxSockets: 2 });
    const handshake = (line: string) =>
      sendRaw(
        running.port,
        `GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n${line}\r\n`,
      );
    expect(await handshake("")).toMatch(/^HTTP\/1\.1 400 [^]*"code":400,"errMsg":"[^"]*Key/);
    for (let at = 0; at < 2; at += 1) await dial(`ws://127.0.0.1:${running.port}/ws`).opened;
    expect(await handshake("sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")).toMatch(
      /^HTTP\/1\.1 503 [^]*"code":503/,
    );
    const request = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    expect(await sendRaw(running.port, request)).toMatch(/^HTTP\/1\.1 200/);
  });

  describe("a client that sends too fast", () => {
    /** Counts the frames of each client, in the order of connection, and echoes them. */
    async function echo(frameRate: { atOnce: number; perSecond: number }) {
      const counts: number[] = [];
      const running = await serve(
        {
          connected(socket) {
            const at = counts.push(0) - 1;
            return {
              frame: (data) => {
                counts[at] = (counts[at] ?? 0) + 1;
                socket.send(new TextDecoder().decode(data));
              },
              pong: () => undefined,
              closed: () => undefined,
            };
          },
        },
        { frameRate },
      );
      return { url: `ws://127.0.0.1:${running.port}/ws`, counts };
    }

    it("is read more slowly while others are served", async () => {
      const { url, counts } = await echo({ atOnce: 10, perSecond: 0.1 });
      const fast = dial(url);
      await fast.opened;
      for (let at = 0; at < 5000; at += 1) fast.socket.send("x".repeat(1000));
      const good = dial(url);
      await good.opened;
      for (let at = 0; at < 9; at += 1) good.socket.send("here");
      await vi.waitUntil(() => counts[1] === 9, PATIENCE);
      expect(counts[0]).toBeLessThan(5000);
      fast.socket.terminate();
    });

    it("loses no frame", async () => {
      const { url } = await echo({ atOnce: 5, perSecond: 5000 });
      const fast = dial(url);
      await fast.opened;
      const sent = Array.from({ length: 1000 }, (_, at) => `${at} ${"x".repeat(500)}`);
      for (const text of sent) fast.socket.send(text);
      await vi.waitUntil(() => fast.seen.events.length > sent.length, PATIENCE);
      expect(fast.seen.events).toEqual(["opened", ...sent]);
      fast.socket.terminate();
    });
  });
});
