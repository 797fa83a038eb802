import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createServerFactory } from "../../src/platform/server.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { testCrypto, TestTrader } from "../support/venue.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { sendRaw } from "../support/raw-socket.ts";

/** The venue over real sockets, with all kinds of invalid input. */

let venue: RunningVenue;
let trader: TestTrader;
let port: number;
let rssBefore: number;
/** A well-behaved client that is subscribed all the time. */
let oracle: WebSocket;
const received: unknown[] = [];

beforeAll(async () => {
  const crypto = await testCrypto();
  trader = new TestTrader(crypto, 1, systemClock);
  venue = await startRealVenue(
    { accounts: { [trader.address]: { "1": "1000", "2": "1000000" } } },
    { server: createServerFactory({ headersTimeoutMs: 500, requestTimeoutMs: 1000 }) },
  );
  port = Number(new URL(venue.rest).port);
  oracle = await opened();
  oracle.addEventListener("message", ({ data }) => received.push(JSON.parse(String(data))));
  oracle.send(JSON.stringify({ method: "subscribe", params: { channels: ["depth@1_2"] }, id: 1 }));
  await until(() => received.length === 1);
  rssBefore = process.memoryUsage().rss;
});

afterAll(async () => {
  expect(oracle.readyState).toBe(WebSocket.OPEN);
  // Covers the venue, this test and its clients; a leak of the data sent above would take several times as much.
  expect(process.memoryUsage().rss - rssBefore).toBeLessThan(300 * 1024 * 1024);
  await venue.close();
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function opened(): Promise<WebSocket> {
  const socket = new WebSocket(venue.ws);
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => resolve(socket));
    socket.addEventListener("error", () => reject(new Error("not connected")));
  });
}

/** Places an order and checks that its events arrive. */
async function expectService(): Promise<void> {
  const before = received.length;
  const { tx, txHash } = trader.limit("BUY", 100 + (before % 50), "0.01");
  const response = await post("/api/v1/order", JSON.stringify({ tx }));
  expect(response).toMatchObject({ status: 200, body: { code: 200, result: txHash } });
  await until(() => received.length > before);
}

async function post(path: string, body: string | Uint8Array<ArrayBuffer>) {
  const response = await fetch(`${venue.rest}${path}`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as { errMsg?: string } };
}

describe("bodies", () => {
  test.each([
    ["nothing", ""],
    ["a brace", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1e400"],
    ["text", '"0x00"'],
    ["a comma too many", '{"tx":"0x00",}'],
    ["a byte order mark", "\ufeff{}"],
    ["no tx", "{}"],
    ["tx is a number", '{"tx":1}'],
    ["tx is null", '{"tx":null}'],
    ["tx is a list", '{"tx":["0x00"]}'],
    ["tx is no hex", '{"tx":"0xzz"}'],
    ["tx is odd", '{"tx":"0x0"}'],
    ["tx is empty", '{"tx":"0x"}'],
    ["tx is zeros", `{"tx":"0x${"00".repeat(300)}"}`],
    ["an own prototype", '{"__proto__":{"tx":"0x00"}}'],
    ["deep nesting", "[".repeat(30_000)],
    ["deep nesting in tx", `{"tx":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`],
  ])("%s is 400", async (_, body) => {
    const response = await post("/api/v1/order", body);
    expect(response).toMatchObject({ status: 400, body: { code: 400, result: null } });
    expect(response.body.errMsg).toMatch(/^\S.*\.$/);
    expect(response.body.errMsg?.length).toBeLessThan(300);
  });
});

describe("HTTP", () => {
  test("bytes that are not a request get a response and end the connection", async () => {
    for (const text of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET /\u0000 HTTP/1.1\r\nhost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n",
    ]) {
      expect(await sendRaw(port, text)).toMatch(/^HTTP\/1\.1 400 [^]*"code":400/);
    }
    expect(await sendRaw(port, randomBytes(3000))).toMatch(/^HTTP\/1\.1 400/);
    const both =
      "POST /api/v1/order HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    expect(await sendRaw(port, both)).toMatch(/^HTTP\/1\.1 400/);
  });

  test("floods of headers are 431, and other clients are still served", async () => {
    const floods = Array.from({ length: 50 }, (_, at) => {
      const lines = Array.from({ length: 300 }, (_, line) => `x-${at}-${line}: ${"y".repeat(80)}`);
      return sendRaw(port, `GET /time HTTP/1.1\r\nhost: a\r\n${lines.join("\r\n")}\r\n\r\n`);
    });
    await expectService();
    for (const response of await Promise.all(floods))
      expect(response).toMatch(/^HTTP\/1\.1 431 [^]*"code":431/);
  });

  test("slow clients are cut, and other clients are still served", async () => {
    const dribbles = Array.from({ length: 200 }, (_, at) => {
      const started =
        at % 2 === 0
          ? "GET /time HTTP/1.1\r\nx: "
          : "POST /api/v1/order HTTP/1.1\r\nhost: a\r\ncontent-length: 900\r\n\r\n";
      return dribble(started);
    });
    await expectService();
    const responses = await Promise.all(dribbles);
    await expectService();
    for (const response of responses)
      expect(response).toMatch(/^(HTTP\/1\.1 408 [^]*"code":408.*)?$/);
    expect(responses.some((response) => response !== "")).toBe(true);
  });

  function dribble(started: string): Promise<string> {
    return new Promise((resolve) => {
      let response = "";
      let drip: NodeJS.Timeout | undefined;
      const socket: Socket = connect(port, "127.0.0.1", () => {
        socket.write(started);
        drip = setInterval(() => socket.write("x"), 100);
      });
      socket.on("data", (data) => {
        response += data.toString();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => {
        clearInterval(drip);
        resolve(response);
      });
    });
  }
});

describe("streams", () => {
  test("10,000 subscriptions succeed up to the limit per connection, and all of them go with it", async () => {
    const socket = await opened();
    const replies: { id: number; error?: { code: number; message: string } }[] = [];
    socket.addEventListener("message", ({ data }) => replies.push(JSON.parse(String(data))));
    for (let at = 0; at < 10; at += 1) {
      const channels = Array.from(
        { length: 1000 },
        (_, number) => `userEvent@0x${(at * 1000 + number).toString(16).padStart(40, "0")}`,
      );
      socket.send(JSON.stringify({ method: "subscribe", params: { channels }, id: at }));
    }
    await until(() => replies.length === 10);
    expect(replies.filter(({ error }) => error === undefined)).toHaveLength(1);
    expect(replies.at(-1)?.error).toMatchObject({
      code: 400,
      message: expect.stringContaining("1024"),
    });
    // Repeating them adds none.
    const again = Array.from(
      { length: 1000 },
      (_, number) => `userEvent@0x${number.toString(16).padStart(40, "0")}`,
    );
    socket.send(JSON.stringify({ method: "subscribe", params: { channels: again }, id: 99 }));
    await until(() => replies.length === 11);
    expect(replies.at(-1)).toEqual({ result: "ok", id: 99 });
    socket.close();
    await expectService();
  });

  test("a message of bytes is an error and the connection stays", async () => {
    const socket = await opened();
    const replies: unknown[] = [];
    socket.addEventListener("message", ({ data }) => replies.push(JSON.parse(String(data))));
    socket.send(new Uint8Array([1, 2, 3]));
    socket.send('{"method":"subscribe","params":{"channels":["ticker"]},"id":7}');
    await until(() => replies.length >= 2);
    const refused = { error: { code: 400, message: expect.any(String) } };
    expect(replies.slice(0, 2)).toMatchObject([refused, { result: "ok", id: 7 }]);
    socket.close();
  });

  test("a message over 64 KiB ends the connection with 1009", async () => {
    const socket = await opened();
    const code = new Promise((resolve) =>
      socket.addEventListener("close", (event) => resolve(event.code)),
    );
    socket.send("x".repeat(65_537));
    expect(await code).toBe(1009);
  });

  test("garbage frames and floods of fragments end only their connection, and a flood of pings is read slowly", async () => {
    const random = new Prng(7);
    const handshake =
      "GET /ws HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    const masked = (opcode: number, payload: Uint8Array): Buffer =>
      Buffer.concat([Uint8Array.of(opcode, 0x80 | payload.length, 0, 0, 0, 0), payload]);
    const garbage = Array.from({ length: 30 }, () =>
      Buffer.from(Array.from({ length: 200 }, () => random.int(0, 255))),
    );
    // One endless message in fragments of one byte.
    const fragments = Buffer.concat([
      masked(0x01, Uint8Array.of(120)),
      ...Array.from({ length: 100_000 }, () => masked(0x00, Uint8Array.of(120))),
    ]);
    const badText = masked(0x81, Uint8Array.of(0xff, 0xff));
    const unmasked = Uint8Array.of(0x81, 0x01, 0x78);
    for (const bytes of [...garbage, fragments, badText, unmasked]) {
      expect(await spoken(handshake, bytes)).toMatch(/^HTTP\/1\.1 101/);
    }
    // Pings whose pongs are never read.
    const ping = masked(0x89, new Uint8Array(125));
    const flood = connect(port, "127.0.0.1", () => {
      flood.pause();
      flood.write(handshake);
      flood.write(Buffer.concat(Array.from({ length: 200_000 }, () => ping)));
    });
    flood.on("error", () => undefined);
    for (let at = 0; at < 5; at += 1) await expectService();
    flood.destroy();
  });

  /** Completes the handshake, sends bytes, and waits for the end of the connection. */
  function spoken(handshake: string, bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      let response = "";
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(handshake);
        socket.write(bytes);
        // A garbage frame may announce more bytes than it has, so end the stream here.
        socket.end();
      });
      socket.on("data", (data) => {
        if (response.length < 100) response += data.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(response));
    });
  }

  test("endless requests with unread replies are dropped", async () => {
    const socket = await opened();
    for (let at = 0; at < 20_000; at += 1)
      socket.send('{"method":"subscribe","params":{"channels":["nothing"]},"id":1}');
    socket.close();
    await expectService();
  });
});
