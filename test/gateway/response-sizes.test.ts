import { createServer, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestVenue } from "../../src/gateway/request.ts";
import { createHttp } from "../../src/platform/http.ts";
import type { Http } from "../../src/ports/http.ts";
import { endpoints } from "../../src/spec/endpoints.ts";

const MIB = 1024 * 1024;
/** What the sockets of both sides may hold beside what the client has read. */
const SOCKETS_MAX = 16 * MIB;
/** What a server would send if it were let. */
const ENDLESS = 512 * MIB;

let server: Server;
let http: Http;
let rest: string;
let serve: (response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((_, response) => {
    response.on("error", () => undefined);
    serve(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  rest = `http://127.0.0.1:${address.port}`;
  http = createHttp();
});

afterEach(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
});

/** What a call rejects with. */
function failureOf(endpoint: (typeof endpoints)[keyof typeof endpoints]): Promise<unknown> {
  const post = endpoint.method === "POST" ? { body: "{}" } : {};
  return requestVenue({ http, rest }, endpoint, { ...post, timeoutMs: 60_000 }).then(
    () => "no failure",
    (error: unknown) => error,
  );
}

/** A readable refusal of this many bytes. */
function refusalOf(bytes: number): string {
  return JSON.stringify({
    code: 400,
    errMsg: "no",
    success: false,
    errorCode: "NO",
    message: "no",
  }).padEnd(bytes);
}

describe.each(Object.values(endpoints).map((endpoint) => [endpoint.name, endpoint] as const))(
  "the response to %s",
  (_, endpoint) => {
    const { bytes } = endpoint.limits;

    it("is read when it is as long as it may be", async () => {
      serve = (response) => response.writeHead(400).end(refusalOf(bytes));
      expect(await failureOf(endpoint)).toMatchObject({ name: "VenueError" });
    });

    it("is refused when it is one byte longer, with its length and without", async () => {
      serve = (response) =>
        response.writeHead(400, { "content-length": bytes + 1 }).end(refusalOf(bytes + 1));
      expect(await failureOf(endpoint)).toMatchObject({ code: "HTTP_TOO_LONG" });
      serve = (response) => {
        response.writeHead(400);
        response.write(refusalOf(bytes));
        response.end(" ");
      };
      expect(await failureOf(endpoint)).toMatchObject({ code: "HTTP_TOO_LONG" });
    });

    it("is not read on when it does not end", async () => {
      const sent = new Promise<number>((resolve) => {
        serve = (response) => {
          const { socket } = response;
          let size = 0;
          const chunk = Buffer.alloc(MIB / 4, " ");
          const write = (): void => {
            while (size < ENDLESS && !response.destroyed) {
              size += chunk.length;
              if (!response.write(chunk)) return;
            }
            response.end();
          };
          response.on("drain", write);
          socket?.on("close", () => resolve(size));
          response.writeHead(200);
          write();
        };
      });
      expect(await failureOf(endpoint)).toMatchObject({ code: "HTTP_TOO_LONG" });
      expect(await sent).toBeLessThan(bytes + SOCKETS_MAX);
    });
  },
);

describe("the limits", () => {
  it("are no more than a few MiB for any endpoint", () => {
    const largest = Math.max(...Object.values(endpoints).map(({ limits }) => limits.bytes));
    expect(largest).toBeLessThanOrEqual(2 * MIB);
  });
});
