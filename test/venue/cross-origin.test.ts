import { get } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createServerFactory } from "../../src/platform/server.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { type RunningVenue, startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, START_MS, testCrypto } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const PAGE = "http://localhost:5173";

let venue: RunningVenue | undefined;
afterEach(() => venue?.close());

async function open(
  allowOrigin?: string,
  { host = "127.0.0.1", ...more }: { host?: string; allowHosts?: string[] } = {},
): Promise<string> {
  const clock = new VirtualClock(START_MS);
  venue = await startVenue({
    config: venueSchema.parse(allowOrigin === undefined ? more : { ...more, allowOrigin }),
    listen: { host, port: 0 },
    ports: {
      server: createServerFactory(),
      clock,
      timer: clock,
      crypto: await testCrypto(),
      log: silentLog,
    },
  });
  return venue.rest;
}

/** The preflight request of a browser before a page posts JSON. */
const preflight = (rest: string): Promise<Response> =>
  fetch(`${rest}/api/v1/order`, {
    method: "OPTIONS",
    headers: {
      origin: PAGE,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    },
  });
const allowed = ({ headers }: Response): string | null =>
  headers.get("access-control-allow-origin");

/** Resolves when the socket opened; rejects when the handshake was refused. */
const dial = (rest: string, headers: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${rest.replace("http", "ws")}/ws`, { headers });
    socket.on("open", () => {
      resolve("open");
      socket.close();
    });
    socket.on("error", ({ message }) => resolve(message));
  });

describe("allowOrigin", () => {
  test.each([PAGE, "*"])("%s may send requests and read every response", async (origin) => {
    const rest = await open(origin);
    const leave = await preflight(rest);
    expect([leave.status, allowed(leave), await leave.text()]).toEqual([204, origin, ""]);
    expect(leave.headers.get("access-control-allow-methods")).toBe("GET, POST");
    expect(leave.headers.get("access-control-allow-headers")).toBe("content-type");
    const time = await fetch(`${rest}/time`);
    expect([time.status, allowed(time)]).toEqual([200, origin]);
    expect(await time.json()).toMatchObject({ code: 200 });
    const refused = await fetch(`${rest}/api/v1/order`, { method: "POST", body: "{" });
    expect([refused.status, allowed(refused)]).toEqual([400, origin]);
    expect(refused.headers.get("access-control-expose-headers")).toBe("retry-after");
  });

  test("without it no page may read anything, and OPTIONS is refused like any other method", async () => {
    const rest = await open();
    const leave = await preflight(rest);
    expect([leave.status, allowed(leave)]).toEqual([405, null]);
    expect(allowed(await fetch(`${rest}/time`))).toBeNull();
  });

  test.each([
    [undefined, undefined, "open"],
    [undefined, PAGE, "Unexpected server response: 403"],
    [undefined, "null", "Unexpected server response: 403"],
    [undefined, "itself", "open"],
    [PAGE, PAGE, "open"],
    [PAGE, PAGE.toUpperCase(), "open"],
    [PAGE, "http://localhost:5174", "Unexpected server response: 403"],
    ["*", "http://localhost:5174", "open"],
  ])("%s: a WebSocket of a page of %s: %s", async (allowOrigin, origin, outcome) => {
    const rest = await open(allowOrigin);
    const headers = origin === undefined ? {} : { origin: origin === "itself" ? rest : origin };
    expect(await dial(rest, headers)).toBe(outcome);
  });

  test.each(["localhost:5173", "http://localhost:5173/", "https://*.example/x", ""])(
    "%j is no origin",
    (allowOrigin) => {
      expect(venueSchema.safeParse({ allowOrigin }).success).toBe(false);
    },
  );
});

describe("a request that names another host, as of a page whose name was pointed at this machine", () => {
  /** Status of `GET /time` and of a WebSocket's handshake, with this Host and its own Origin; node:http sends the Host that it is given. */
  async function reached(rest: string, host: string): Promise<[number | undefined, string]> {
    const { port } = new URL(rest);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = get(
        { host: "127.0.0.1", port, path: "/time", headers: { host } },
        (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        },
      );
      request.on("error", reject);
    });
    return [status, await dial(rest, { host, origin: `http://${host}` })];
  }
  const refused = [421, "Unexpected server response: 421"];
  const served = [200, "open"];

  test.each([
    ["venue:8717", served],
    ["evil.example", refused],
    ["evil.example:8080", refused],
    ["127.0.0.1.evil.example", refused],
    ["localhost.evil.example:8080", refused],
    ["192.168.1.7", refused],
    ["localhost", served],
    ["LOCALHOST:9000", served],
    ["127.0.0.1:1", served],
    ["[::1]:8080", served],
  ])("%s", async (host, outcome) => {
    const rest = await open();
    expect(await reached(rest, host)).toEqual(outcome);
  });

  test("is refused whatever allowOrigin says, and let in when allowHosts has its name", async () => {
    const rest = await open("*", { allowHosts: ["Venue.Internal"] });
    expect(await reached(rest, "venue.internal:8080")).toEqual(served);
    expect(await reached(rest, "localhost")).toEqual(served);
    expect(await reached(rest, "evil.example")).toEqual(refused);
  });

  test("is served by a venue that listens for other machines, unless allowHosts lists names", async () => {
    const rest = await open(undefined, { host: "0.0.0.0" });
    expect(await reached(rest, "venue.internal")).toEqual(served);
    await venue?.close();
    const listed = await open(undefined, { host: "0.0.0.0", allowHosts: ["venue.internal"] });
    expect(await reached(listed, "venue.internal")).toEqual(served);
    expect(await reached(listed, "evil.example")).toEqual(refused);
  });

  test.each(["http://venue.internal", "venue.internal:8080", "*", ""])(
    "%j is no host name",
    (name) => {
      expect(venueSchema.safeParse({ allowHosts: [name] }).success).toBe(false);
    },
  );
});
