import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { BookSync } from "../src/book/book-sync.ts";
import { Prng } from "../src/base/prng.ts";
import { marketId } from "../src/domain/ids.ts";
import { bookFrom } from "../src/gateway/from-wire.ts";
import { Streams } from "../src/gateway/streams.ts";
import { VenueClient } from "../src/gateway/venue-client.ts";
import { systemClock } from "../src/platform/clock.ts";
import { loadCrypto } from "../src/platform/crypto.ts";
import { createHttp } from "../src/platform/http.ts";
import { createServerFactory } from "../src/platform/server.ts";
import { createSocketConnector } from "../src/platform/socket.ts";
import { systemTimer } from "../src/platform/timer.ts";
import type { Log } from "../src/ports/log.ts";
import { endpoints } from "../src/spec/endpoints.ts";
import { venueSchema, venueWithoutConfig } from "../src/venue/config.ts";
import { startVenue } from "../src/venue/start-venue.ts";
import { type Hold, LoopHolds } from "./loop-holds.ts";

/**
 * Floods a paper venue and the receiving side of a bot, each in a process of its own, and prints how long their event loops were held:
 * `npm run floods`, or `npm run floods -- bot` for those with a word in their name. It judges nothing, since the figures depend on the machine.
 */

const MARKET = marketId("1", "2");
const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** What a process answers when it is asked for its figures, which start anew then. */
interface Figures {
  readonly p999Ms: number;
  readonly longest: Hold;
  readonly busiest: Hold;
  readonly rssMb: number;
}

// ── The two processes under attack ─────────────────────────────────

function serveFigures(): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const holds = new LoopHolds();
  process.on("message", () => {
    const figures: Figures = {
      p999Ms: delay.percentile(99.9) / 1e6,
      ...holds.take(),
      rssMb: process.memoryUsage.rss() / 2 ** 20,
    };
    delay.reset();
    process.send?.(figures);
  });
}

async function runVenue(): Promise<void> {
  const venue = await startVenue({
    config: venueSchema.parse(venueWithoutConfig),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server: createServerFactory(),
      clock: systemClock,
      timer: systemTimer,
      crypto: await loadCrypto(),
      log: silent,
    },
  });
  serveFigures();
  process.send?.(Number(new URL(venue.rest).port));
}

/** Reads the book over REST again and again, and keeps one from the stream, as a bot does. */
async function runBot(port: number): Promise<void> {
  const { keccak256 } = await loadCrypto();
  const client = new VenueClient({ http: createHttp(), rest: `http://127.0.0.1:${port}` });
  const sync = new BookSync(MARKET);
  const streams = new Streams({
    connector: createSocketConnector(),
    url: `ws://127.0.0.1:${port}/ws`,
    clock: systemClock,
    timer: systemTimer,
    log: silent,
    prng: new Prng(1),
    keccak256,
    markets: [MARKET],
    owner: undefined,
    push(input) {
      if (input.type === "depth") sync.onDepth(input.event);
      if (input.type === "depthAudit") sync.onAudit(input.snapshot);
      if (input.type === "stream" && (input.state === "opened" || input.state === "closed")) {
        sync.onStream(input.state);
      }
    },
  });
  streams.start();
  serveFigures();
  process.send?.(port);
  for (;;) {
    try {
      const wire = await client.call(endpoints.depth, { marketId: MARKET }, { timeoutMs: 60_000 });
      sync.onSnapshot(bookFrom(MARKET, wire));
    } catch {
      // The flood is refused, as it should be.
    }
    await pause(50);
  }
}

// ── The floods ─────────────────────────────────────────────────────

async function ask(child: ChildProcess): Promise<Figures> {
  child.send("figures");
  const [figures] = (await once(child, "message")) as [Figures];
  return figures;
}

async function start(...args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(import.meta.filename, args, { execArgv: process.execArgv });
  const [port] = (await once(child, "message")) as [number];
  await pause(1_500);
  await ask(child);
  return { child, port };
}

function report(name: string, { p999Ms, longest, busiest, rssMb }: Figures, more = ""): void {
  const text = `p99.9 ${p999Ms.toFixed(1)} ms, longest ${textOf(longest)}, busiest ${textOf(busiest)}, ${rssMb.toFixed(0)} MB`;
  process.stdout.write(`${name}: ${text}${more === "" ? "" : `; ${more}`}\n`);
}

function textOf({ wallMs, userMs, kernelMs, garbageMs }: Hold): string {
  const parts = `${userMs.toFixed(1)} own, ${kernelMs.toFixed(1)} kernel, garbage ${garbageMs.toFixed(1)}`;
  return `${wallMs.toFixed(1)} ms (${parts})`;
}

async function runFloods(only: string): Promise<void> {
  for (const [name, flood] of Object.entries(venueFloods)) {
    if (!`venue, ${name}`.includes(only)) continue;
    const { child, port } = await start("venue");
    const sockets = await flood(port);
    const answered = await timeOfAnswer(port);
    await pause(3_000);
    report(`venue, ${name}`, await ask(child), answered);
    for (const socket of sockets) socket.destroy();
    child.kill("SIGKILL");
  }
  for (const [name, flood] of Object.entries(botFloods)) {
    if (!`bot, ${name}`.includes(only)) continue;
    const venue = await hostileVenue(flood);
    const { child } = await start("bot", String(venue.port));
    venue.begin();
    await pause(6_000);
    report(`bot, ${name}`, await ask(child));
    child.kill("SIGKILL");
    venue.close();
  }
  process.exit();
}

/** How long a well-behaved client waits for an answer during a flood. */
async function timeOfAnswer(port: number): Promise<string> {
  const startMs = performance.now();
  for (;;) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/time`)).text();
      return `others are answered after ${Math.round(performance.now() - startMs)} ms`;
    } catch {
      await pause(20);
    }
    if (performance.now() - startMs > 60_000) return "others are not answered within a minute";
  }
}

async function dial(port: number, bytes = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await Promise.race([once(socket, "connect"), pause(5_000)]);
  if (bytes !== "") socket.write(bytes);
  return socket;
}

async function many(count: number, open: (at: number) => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 100) {
    const some = Array.from({ length: Math.min(100, count - at) }, (_, next) => open(at + next));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

/** Stream clients that send `text` a few times each. */
async function streamClients(port: number, count: number, text: string): Promise<Socket[]> {
  const clients = Array.from({ length: count }, () => new WebSocket(`ws://127.0.0.1:${port}/ws`));
  for (const client of clients) {
    client.on("error", () => undefined);
    client.on("open", () => {
      for (let time = 0; time < 4; time += 1) client.send(text);
    });
  }
  await pause(1_000);
  return [];
}

const request = (channels: readonly unknown[]): string =>
  JSON.stringify({ method: "subscribe", params: { channels }, id: 1 });
const depthRequest = "GET /api/v1/market/depth?marketId=1_2&limit=5000 HTTP/1.1\r\nhost: a\r\n\r\n";

const chunkedHead = "POST /api/v1/order HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";

const venueFloods: Readonly<Record<string, (port: number) => Promise<Socket[]>>> = {
  "no flood": () => Promise.resolve([]),
  "100 clients that subscribe to numbers": (port) =>
    streamClients(port, 100, request(Array<number>(30_000).fill(1))),
  "20 clients that subscribe to 1000 users": (port) =>
    streamClients(
      port,
      20,
      request(
        Array.from(
          { length: 1_000 },
          (_, at) => `userEvent@0x${at.toString(16).padStart(40, "0")}`,
        ),
      ),
    ),
  "20 clients that ask for the book 800 times and read nothing": (port) =>
    many(20, async () => (await dial(port, depthRequest.repeat(800))).pause()),
  "a client that sends 2000 requests in one write": async (port) => [
    (await dial(port, "GET / HTTP/1.1\r\nhost:a\r\n\r\n".repeat(2_000))).pause(),
  ],
  "100 clients that send 800 requests in one write": (port) =>
    many(100, async () => (await dial(port, depthRequest.repeat(800))).pause()),
  "a client that sends a body of 10,000 chunks": async (port) => [
    await dial(port, `${chunkedHead}${"1\r\nx\r\n".repeat(10_000)}0\r\n\r\n`),
  ],
  "500 clients that send a header byte by byte": async (port) => {
    const sockets = await many(500, () => dial(port, "GET /time HT"));
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write("x");
    }, 500);
    timer.unref();
    return sockets;
  },
  "10,000 idle sockets": (port) => many(10_000, () => dial(port)),
};

interface HostileVenue {
  readonly port: number;
  begin(): void;
  close(): void;
}

interface BotFlood {
  /** Body of each answer about the book. */
  readonly book?: string;
  /** Bytes in the place of each such answer. */
  readonly bytes?: string;
  /** Sends to a connected bot. */
  stream?(client: WebSocket): void;
}

/** A venue that confirms subscriptions, answers about the book as `flood` says, and sends its frames when `flood` starts. */
async function hostileVenue(flood: BotFlood): Promise<HostileVenue> {
  let hasBegun = false;
  const clients = new Set<WebSocket>();
  const server = createServer((_, response) => {
    if (hasBegun && flood.bytes !== undefined) response.socket?.end(flood.bytes);
    else response.end(hasBegun && flood.book !== undefined ? flood.book : bookWith([]));
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const attack = (client: WebSocket): void => {
    flood.stream?.(client);
  };
  sockets.on("connection", (client) => {
    clients.add(client);
    client.on("error", () => undefined);
    client.on("message", (data: Buffer) => {
      const { id } = JSON.parse(data.toString("utf8")) as { id: number };
      client.send(JSON.stringify({ result: "ok", id }));
      if (hasBegun) attack(client);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    for (const client of clients) client.terminate();
    server.close();
    server.closeAllConnections();
  };
  const begin = (): void => {
    hasBegun = true;
    for (const client of clients) attack(client);
  };
  return { port: (server.address() as AddressInfo).port, begin, close };
}

const bookWith = (bids: unknown, lastUpdatedId = 1): string =>
  JSON.stringify({
    code: 200,
    errMsg: "OK",
    result: { bids, asks: [], updatedAt: 1, lastUpdatedId },
  });
const depthFrame = (id: number, count: number, price: (at: number) => string): string =>
  JSON.stringify({
    method: "subscription",
    params: {
      channel: "depth@1_2",
      result: {
        marketId: "1_2",
        bids: Array.from({ length: count }, (_, at) => [price(at), "1"]),
        asks: [],
        firstId: id,
        finalId: id,
        time: 1,
      },
    },
  });

const botFloods: Readonly<Record<string, BotFlood>> = {
  "no flood": {},
  "books of 16 MiB of wrong levels": { book: bookWith(Array<number>(8_300_000).fill(1)) },
  "books of a megabyte of wrong levels": { book: bookWith(Array<string>(9_000).fill("no")) },
  "books of 16 MiB of nested lists": {
    book: bookWith(Array.from({ length: 4_000_000 }, () => [[]])),
  },
  "depth events of 200,000 levels": {
    stream(client) {
      for (let id = 2; id < 6; id += 1) {
        client.send(depthFrame(id, 200_000, (at) => String(200_000 - at / 10)));
      }
    },
  },
  "depth events that each add 8000 levels": {
    stream(client) {
      for (let id = 2; id < 42; id += 1) {
        client.send(depthFrame(id, 8_000, (at) => String(1000 - (id * 8_000 + at) / 1000)));
      }
    },
  },
  "books in 150,000 chunks of one byte": {
    bytes: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(150_000)}`,
  },
  "answers of 100,000 headers": { bytes: `HTTP/1.1 200 OK\r\n${"a:\r\n".repeat(100_000)}` },
  "100,000 informational responses": { bytes: "HTTP/1.1 103 E\r\n\r\n".repeat(100_000) },
  "100,000 pings": {
    stream(client) {
      for (let ping = 0; ping < 100_000; ping += 1) client.ping();
    },
  },
  "200,000 unreadable frames": {
    stream(client) {
      for (let frame = 0; frame < 200_000; frame += 1) client.send("{}");
    },
  },
};

const role = process.argv[2];
if (role === "venue") await runVenue();
else if (role === "bot") await runBot(Number(process.argv[3]));
else await runFloods(role ?? "");
