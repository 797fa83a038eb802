import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { plainHead, plainRequest } from "../../src/platform/plain-requests.ts";
import { createServerFactory, type ServerLimits } from "../../src/platform/server.ts";
import type { RunningServer, ServerOptions } from "../../src/ports/server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Answers each request with its method, path, query and body; odd ones on a later turn. */
async function echo(
  limits: ServerLimits = {},
  more: Partial<ServerOptions> = {},
): Promise<RunningServer> {
  let count = 0;
  const server = await createServerFactory(limits).listen({
    host: "127.0.0.1",
    port: 0,
    socketPath: "/ws",
    maxBodyBytes: 1000,
    maxFrameBytes: 1000,
    respond({ method, path, query, body }) {
      count += 1;
      const text = `<${method} ${path} ${query.toString()} ${Buffer.from(body ?? []).toString()}>`;
      const reply = { status: 200, body: text };
      return count % 2 === 0 ? reply : sleep(count % 3, reply);
    },
    connected: () => ({ frame: () => undefined, pong: () => undefined, closed: () => undefined }),
    ...more,
  });
  cleanups.push(() => server.close());
  return server;
}

interface Client {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly closed: Promise<void>;
}

async function client(port: number): Promise<Client> {
  let text = "";
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  cleanups.push(() => socket.destroy());
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return { socket, heard: () => text, closed };
}

function bodies(text: string): string[] {
  return [...text.matchAll(/<[^>]*>/g)].map(([body]) => body);
}

describe("what is plain", () => {
  const plain =
    "POST /api/v1/order?a=b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12";

  it("is a request with usual headers", () => {
    expect(plainHead(plain)).toMatchObject({ method: "POST", path: "/api/v1/order", length: 12 });
    expect(plainHead(plain)?.query.get("a")).toBe("b");
    expect(plainHead("GET / HTTP/1.1\r\nhost:x\r\nconnection: Keep-Alive")).toMatchObject({
      length: 0,
    });
  });

  it.each([
    ["no host", "GET / HTTP/1.1"],
    ["two hosts", "GET / HTTP/1.1\r\nhost: a\r\nHost: b"],
    ["HTTP/1.0", "GET / HTTP/1.0\r\nhost: a"],
    ["another method", "PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 1"],
    ["a method in lower case", "get / HTTP/1.1\r\nhost: a"],
    ["a whole address", "GET http://a/ HTTP/1.1\r\nhost: a"],
    ["a POST without length", "POST / HTTP/1.1\r\nhost: a"],
    ["two lengths", `${plain}\r\ncontent-length: 12`],
    ["a length with a sign", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +1"],
    ["two lengths in one", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1, 1"],
    ["a GET with a length", "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1"],
    ["chunks", `${plain}\r\ntransfer-encoding: chunked`],
    ["the end of the connection", "GET / HTTP/1.1\r\nhost: a\r\nconnection: close"],
    ["an upgrade", "GET /ws HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket"],
    ["an expectation", `${plain}\r\nexpect: 100-continue`],
    ["a folded line", "GET / HTTP/1.1\r\nhost: a\r\n b"],
    ["a blank before the colon", "GET / HTTP/1.1\r\nhost : a"],
    ["a bare line feed", "GET / HTTP/1.1\nhost: a"],
    ["a control character", "GET / HTTP/1.1\r\nhost: a\u0000"],
    ["a name nobody knows", "GET / HTTP/1.1\r\nhost: a\r\nx-mine: 1"],
    ["a name of Object", "GET / HTTP/1.1\r\nhost: a\r\nconstructor: 1"],
  ])("is not: %s", (_what, head) => {
    expect(plainHead(head)).toBeUndefined();
  });

  it("is one whole request with a body that is not too long", () => {
    const whole = `${plain}\r\n\r\n${"b".repeat(12)}`;
    expect(plainRequest(Buffer.from(whole), 12)?.body).toEqual(Buffer.from("b".repeat(12)));
    expect(plainRequest(Buffer.from(whole), 11)).toBeUndefined();
    expect(plainRequest(Buffer.from(whole.slice(0, -1)), 12)).toBeUndefined();
    expect(plainRequest(Buffer.from(`${whole}G`), 12)).toBeUndefined();
    expect(plainRequest(Buffer.from(plain), 12)).toBeUndefined();
  });
});

describe("plain and other requests on one connection", () => {
  it("are answered in their order, however they are cut into packets", {
    timeout: 60_000,
  }, async () => {
    const server = await echo();
    const request = fc
      .record({
        path: fc.stringMatching(/^\/[a-z]{0,4}(\?q=[a-z]{1,3})?$/),
        body: fc.option(fc.stringMatching(/^[a-z]{0,20}$/), { nil: undefined }),
        form: fc.constantFrom("plain", "plain", "plain", "strange", "chunked"),
      })
      .map(({ path, body, form }) => {
        const [at = "/", query = ""] = path.split("?");
        const answer = `<${body === undefined ? "GET" : "POST"} ${at} ${query} ${body ?? ""}>`;
        const strange = form === "strange" ? "x-mine: 1\r\n" : "";
        const head = `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\nhost: a\r\n${strange}`;
        if (body === undefined) return { answer, text: `${head}\r\n` };
        if (form !== "chunked" || body === "") {
          return { answer, text: `${head}content-length: ${body.length}\r\n\r\n${body}` };
        }
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        return { answer, text: `${head}transfer-encoding: chunked\r\n\r\n${chunks}` };
      });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.boolean(),
        async (requests, cuts, isWhole) => {
          const { socket, heard } = await client(server.port);
          const text = requests.map((each) => each.text).join("");
          const at = cuts.map((cut) => cut % text.length).sort((a, b) => a - b);
          const packets = isWhole
            ? requests.map((each) => each.text)
            : [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
          for (const packet of packets) {
            if (packet !== "") socket.write(packet);
            await sleep(2);
          }
          const expected = requests.map(({ answer }) => answer);
          for (let turn = 0; turn < 500 && bodies(heard()).length < expected.length; turn += 1) {
            await sleep(2);
          }
          expect(bodies(heard())).toEqual(expected);
          socket.destroy();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("a client that says it will send no more gets its answer", async () => {
    const server = await echo();
    const { socket, heard, closed } = await client(server.port);
    socket.end("GET /last HTTP/1.1\r\nhost: a\r\n\r\n");
    await closed;
    expect(bodies(heard())).toEqual(["<GET /last  >"]);
  });

  it("a connection that is not used is closed, before its first request and after", async () => {
    const server = await echo({ headersTimeoutMs: 200, keepAliveTimeoutMs: 300 });
    const silent = await client(server.port);
    const used = await client(server.port);
    used.socket.write("GET /a HTTP/1.1\r\nhost: a\r\n\r\n");
    await Promise.all([silent.closed, used.closed]);
    expect(silent.heard()).toBe("");
    expect(bodies(used.heard())).toHaveLength(1);
  });

  it("an answer that takes longer than that is waited for", async () => {
    const server = await echo(
      { headersTimeoutMs: 100, keepAliveTimeoutMs: 100 },
      { respond: () => sleep(400, { status: 200, body: "<late é>" }) },
    );
    const { socket, heard, closed } = await client(server.port);
    socket.write("GET /a HTTP/1.1\r\nhost: a\r\n\r\n");
    await closed;
    expect(bodies(heard())).toEqual(["<late é>"]);
    expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-length: 9\r\nDate: [^\r]* GMT\r\n/);
  });

  it("the server's end ends them", async () => {
    const server = await echo();
    const { closed } = await client(server.port);
    await server.close();
    await closed;
  });
});
