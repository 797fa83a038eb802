import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { SlicedReads } from "../../src/platform/sliced-reads.ts";
import { Turns } from "../../src/platform/turns.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { PATIENCE } from "../support/patience.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  cleanups.push(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

const get = (more = ""): string => `GET / HTTP/1.1\r\nhost:a\r\n${more}\r\n`;
const close = "connection: close\r\n";

/** Slices the reads of a server, one slice with each function that is taken from the list and called. */
function slicedByHand(server: Server): (() => void)[] {
  const work: (() => void)[] = [];
  const later = (one: () => void): boolean => {
    work.push(one);
    return false;
  };
  new SlicedReads({ run: later }).sliceAll(server);
  return work;
}

describe("requests that arrive all at once", () => {
  it("are parsed a kilobyte at a time, each as work of its own", async () => {
    const served: string[] = [];
    const server = createServer(({ url }, response) => {
      served.push(url ?? "");
      response.end();
    });
    const work = slicedByHand(server);
    const port = await listening(server);
    const responses = sendRaw(port, get().repeat(1_999) + get(close));
    const servedByEach: number[] = [];
    while (served.length < 2_000) {
      await vi.waitUntil(() => work.length > 0, PATIENCE);
      const before = served.length;
      work.shift()?.();
      servedByEach.push(served.length - before);
    }
    expect(Math.max(...servedByEach)).toBeLessThan(50);
    expect((await responses).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2_000);
  });

  it("wait for their turn one slice a client", async () => {
    const order: string[] = [];
    const server = createServer((request, response) => {
      order.push(request.url ?? "");
      response.end();
    });
    const work = slicedByHand(server);
    const port = await listening(server);
    const flood = sendRaw(port, get().repeat(200) + get(close));
    await vi.waitUntil(() => work.length === 1, PATIENCE);
    const other = sendRaw(port, `GET /other HTTP/1.1\r\nhost:a\r\n${close}\r\n`);
    await vi.waitUntil(() => work.length === 2, PATIENCE);
    work.shift()?.();
    work.shift()?.();
    expect(order.length).toBeLessThan(50);
    expect(order.at(-1)).toBe("/other");
    await other;
    while (order.length < 202) {
      await vi.waitUntil(() => work.length > 0, PATIENCE);
      work.shift()?.();
    }
    await flood;
  });
});

describe("the bytes of a connection", () => {
  it("make a body whole, in one piece or dribbled, with or without a declared length", async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString("latin1");
      });
      request.on("end", () => {
        bodies.push(body);
        response.end("ok");
      });
    });
    new SlicedReads(new Turns()).sliceAll(server);
    const port = await listening(server);
    const text = Array.from({ length: 50_000 }, (_, at) => at % 10).join("");
    const head = `POST / HTTP/1.1\r\nhost: a\r\n${close}`;
    await sendRaw(port, `${head}content-length: ${text.length}\r\n\r\n${text}`);
    const chunks = text.replace(/.{10}/g, "a\r\n$&\r\n");
    await sendRaw(port, `${head}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(bodies).toEqual([text, text]);
  });

  it("are all read when the client ends its half of the connection behind them", async () => {
    const server = createServer((request, response) => {
      let length = 0;
      request.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on("end", () => response.end(`got ${length}`));
    });
    const later = (one: () => void): boolean => {
      setTimeout(one, 20);
      return false;
    };
    new SlicedReads({ run: later }).sliceAll(server);
    const port = await listening(server);
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.end(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3000\r\n\r\n${"x".repeat(3_000)}`);
    let response = "";
    client.on("data", (data: Buffer) => {
      response += data.toString("latin1");
    });
    await once(client, "end");
    client.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 200 OK[^]*got 3000/);
  });

  it("behind a WebSocket handshake are the first frames, however many there are", async () => {
    const server = createServer();
    const reads = new SlicedReads(new Turns());
    reads.sliceAll(server);
    const sockets = new WebSocketServer({ noServer: true });
    const frames: string[] = [];
    server.on("upgrade", (request, socket, head) => {
      sockets.handleUpgrade(request, socket, reads.release(socket, head), (client) => {
        client.on("message", (data: Buffer) => {
          frames.push(data.toString("latin1"));
          if (frames.length === 500) client.close();
        });
      });
    });
    const port = await listening(server);
    const handshake = `GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`;
    const masked = (text: string): Buffer =>
      Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);
    const sent = Array.from({ length: 500 }, (_, at) => `frame ${at}`);
    const closing = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
    await sendRaw(
      port,
      Buffer.concat([Buffer.from(handshake), ...sent.map((text) => masked(text)), closing]),
    );
    expect(frames).toEqual(sent);
    const later = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(later, "open");
    later.send("more");
    await vi.waitUntil(() => frames.at(-1) === "more", PATIENCE);
    later.terminate();
  });

  it("behind a request that cannot be read do not cut its refusal short", async () => {
    const server = createServer();
    new SlicedReads(new Turns()).sliceAll(server);
    server.on("clientError", (_, socket) => {
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\n\r\nrefused");
      else socket.destroy();
    });
    const port = await listening(server);
    expect(await sendRaw(port, "nonsense ".repeat(5_000))).toMatch(/refused$/);
  });
});
