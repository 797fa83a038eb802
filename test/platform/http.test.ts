import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { TransportError } from "../../src/base/error.ts";
import { createHttp } from "../../src/platform/http.ts";
import type { Http, HttpRequest } from "../../src/ports/http.ts";

const open: { server?: Server; http?: Http; sockets: Set<Socket> } = { sockets: new Set() };

/** A raw server: `serve` gets the socket and all data that arrives on it. */
async function rawServer(
  serve: (socket: Socket, text: string) => void,
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((socket) => {
    open.sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      seen.push(data.toString());
      serve(socket, data.toString());
    });
  });
  open.server = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

function ask(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: "GET", url, timeoutMs: 2_000, ...more };
}

async function failure(request: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TransportError)) throw new Error(`no TransportError: ${String(error)}`);
  return error;
}

afterEach(async () => {
  await open.http?.close();
  for (const socket of open.sockets) socket.destroy();
  open.sockets.clear();
  open.server?.close();
});

function client(options: Parameters<typeof createHttp>[0] = {}): Http {
  open.http = createHttp(options);
  return open.http;
}

describe("http over loopback", () => {
  it("returns status, lower-case headers and the whole body, on one kept-alive connection", async () => {
    const { url, seen } = await rawServer((socket, text) => {
      if (!text.includes("HTTP/1.1")) return;
      socket.write("HTTP/1.1 404 Not Found\r\nRetry-After: 2\r\nContent-Length: 5\r\n\r\nhel");
      setTimeout(() => socket.write("lo"), 10);
    });
    const http = client();
    const first = await http.request(
      ask(`${url}/a?b=c`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      }),
    );
    expect(first.status).toBe(404);
    expect(first.headers["retry-after"]).toBe("2");
    expect(new TextDecoder().decode(first.body)).toBe("hello");
    expect(seen[0]).toMatch(/^POST \/a\?b=c HTTP\/1\.1\r\n/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await http.request(ask(`${url}/d`));
    expect(open.sockets.size).toBe(1);
  });

  it("a refused connection is not-sent", async () => {
    const { url } = await rawServer(() => undefined);
    await new Promise((resolve) => open.server?.close(resolve));
    const error = await failure(client().request(ask(url, { method: "POST", body: "x" })));
    expect(error.outcome).toBe("not-sent");
  });

  it("an unresolvable name and an invalid address are not-sent", async () => {
    const http = client();
    expect((await failure(http.request(ask("http://no-such-host.invalid/")))).outcome).toBe(
      "not-sent",
    );
    expect((await failure(http.request(ask("nonsense")))).outcome).toBe("not-sent");
  });

  it("silence after the request is unknown", async () => {
    const { url, seen } = await rawServer(() => undefined);
    // Long enough to connect and to send, also on a busy machine.
    const error = await failure(
      client().request(ask(url, { method: "POST", body: "x", timeoutMs: 1_000 })),
    );
    expect(error).toMatchObject({ outcome: "unknown", code: "HTTP_TIMEOUT" });
    expect(seen.length).toBeGreaterThan(0);
  });

  it("a connection cut after the request, or in the middle of the response, is unknown", async () => {
    const { url } = await rawServer((socket, text) => {
      if (text.includes("/half"))
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal", () => socket.destroy());
      else socket.destroy();
    });
    const http = client();
    expect(
      (await failure(http.request(ask(`${url}/cut`, { method: "POST", body: "x" })))).outcome,
    ).toBe("unknown");
    expect(
      (await failure(http.request(ask(`${url}/half`, { method: "POST", body: "x" })))).outcome,
    ).toBe("unknown");
  });

  it("a half-closed connection without a response is unknown, and the next request opens a new one", async () => {
    let responses = 0;
    const { url } = await rawServer((socket) => {
      if (responses++ === 0) socket.end();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const http = client();
    expect((await failure(http.request(ask(url, { method: "POST", body: "x" })))).outcome).toBe(
      "unknown",
    );
    expect((await http.request(ask(url))).status).toBe(200);
  });

  it("a request aborted while it waits for a free connection is not-sent and never leaves", async () => {
    const { url, seen } = await rawServer((socket, text) => {
      if (text.includes("/slow"))
        setTimeout(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 120);
    });
    const http = client({ connectionsPerOrigin: 1 });
    const slow = http.request(ask(`${url}/slow`));
    const waiting = await failure(
      http.request(ask(`${url}/order`, { method: "POST", body: "x", timeoutMs: 40 })),
    );
    expect(waiting.outcome).toBe("not-sent");
    await slow;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen.filter((text) => text.includes("/order"))).toEqual([]);
  });

  it("a response that is too long is cut off", async () => {
    const { url } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${"x".repeat(5000)}`);
    });
    const error = await failure(client({ maxResponseBytes: 1000 }).request(ask(url)));
    expect(error).toMatchObject({ code: "HTTP_TOO_LONG", outcome: "unknown" });
  });

  it("a request may set its own limit on the response", async () => {
    const { url } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${"x".repeat(5000)}`);
    });
    const error = await failure(client().request(ask(url, { maxBytes: 4999 })));
    expect(error).toMatchObject({ code: "HTTP_TOO_LONG", outcome: "unknown" });
    expect((await client().request(ask(url, { maxBytes: 5000 }))).body.length).toBe(5000);
  });

  it("a response of tens of thousands of tiny chunks is whole", async () => {
    const text = Array.from({ length: 30_000 }, (_, at) => at % 10).join("");
    const { url } = await rawServer((socket) => {
      const chunks = text.replace(/./g, "1\r\n$&\r\n");
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    });
    const { body } = await client().request(ask(url));
    expect(new TextDecoder().decode(body)).toBe(text);
  });

  it.each([
    ["a status line", "HTTP/1.1 200 ", "x".repeat(64 * 1024)],
    [
      "the extension of a chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
      "x".repeat(64 * 1024),
    ],
    ["empty lines before the response", "", "\r\n".repeat(32 * 1024)],
  ])("%s without an end is cut off", async (_, begin, more) => {
    const { url } = await rawServer((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write(more));
      };
      socket.on("drain", flood);
      socket.write(begin);
      flood();
    });
    const options = { maxResponseBytes: 1024 * 1024 };
    const error = await failure(client(options).request(ask(url, { timeoutMs: 14_000 })));
    expect(error).toMatchObject({ code: "HTTP_FAILED", outcome: "unknown" });
    expect(error.message).toContain("it sent more than 2162688 bytes for one response");
  });

  it("the limit of one response is not that of all on a connection", async () => {
    const { url } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n${"x".repeat(50_000)}`);
    });
    const http = client({ maxResponseBytes: 50_000, connectionsPerOrigin: 1 });
    for (let request = 0; request < 5; request += 1) {
      expect((await http.request(ask(url))).body.length).toBe(50_000);
    }
    expect(open.sockets.size).toBe(1);
  });

  it("a server that sends nothing but informational responses is left at once", async () => {
    const { url } = await rawServer((socket) => {
      socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3_000));
    });
    const error = await failure(client().request(ask(url)));
    expect(error).toMatchObject({ code: "HTTP_FAILED", outcome: "unknown" });
    expect(error.message).toMatch(/informational/);
  });

  it("a few informational responses before the one that counts are ignored", async () => {
    const { url } = await rawServer((socket) => {
      const early = "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n".repeat(3);
      socket.write(`${early}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    });
    expect((await client().request(ask(url))).status).toBe(200);
  });

  it("an abort ends the request; before it was written it is not-sent", async () => {
    const controller = new AbortController();
    const { url } = await rawServer(() => controller.abort());
    const http = client();
    const pending = failure(http.request(ask(url, { signal: controller.signal })));
    expect(await pending).toMatchObject({ outcome: "unknown", code: "HTTP_ABORTED" });
    expect(await failure(http.request(ask(url, { signal: controller.signal })))).toMatchObject({
      outcome: "not-sent",
    });
  });
});
