import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttp } from "../../src/platform/http.ts";
import { proxiesFor } from "../../src/platform/proxy.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";

/** What the proxy was asked for: `host:port` of a tunnel, or a whole address. It refuses tunnels and answers requests. */
let asked: (string | undefined)[] = [];
let proxy: Server;

beforeEach(async () => {
  asked = [];
  proxy = createServer(({ url }, response) => {
    asked.push(url);
    response.end("by the proxy");
  });
  proxy.on("connect", ({ url }, socket) => {
    asked.push(url);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  for (const name of ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  proxy.closeAllConnections();
  proxy.close();
});

function address(): string {
  const at = proxy.address();
  return typeof at === "object" && at !== null ? `127.0.0.1:${at.port}` : "";
}

/** Asks over HTTP, or opens a stream, and waits for the end. */
async function reach(url: string): Promise<string> {
  if (url.startsWith("http")) {
    const client = createHttp();
    try {
      const { body } = await client.request({ method: "GET", url, timeoutMs: 5_000 });
      return Buffer.from(body).toString();
    } catch (error) {
      return String(error);
    } finally {
      await client.close();
    }
  }
  return new Promise((resolve) => {
    createSocketConnector().connect(url, {
      opened: () => resolve("opened"),
      frame: () => undefined,
      pong: () => undefined,
      closed: (_, reason) => resolve(reason),
    });
  });
}

describe("requests and streams", () => {
  test.each(["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])(
    "go through the proxy of %s",
    async (name) => {
      vi.stubEnv(name, `http://${address()}`);
      await reach("https://venue.invalid/time");
      await reach("wss://stream.invalid/ws");
      expect(asked).toEqual(["venue.invalid:443", "stream.invalid:443"]);
    },
  );

  test("without TLS go through the proxy of HTTP_PROXY, which may lack its scheme", async () => {
    vi.stubEnv("HTTP_PROXY", address());
    expect(await reach("http://venue.invalid/time")).toBe("by the proxy");
    await reach("ws://stream.invalid/ws");
    expect(asked).toEqual(["http://venue.invalid/time", "http://stream.invalid/ws"]);
  });

  test("to a host of NO_PROXY, and to this machine, go through none", async () => {
    vi.stubEnv("HTTPS_PROXY", `http://${address()}`);
    vi.stubEnv("NO_PROXY", "other.invalid, .venue.invalid");
    const urls = ["https://api.venue.invalid/time", "wss://api.venue.invalid/ws"];
    for (const url of [...urls, "https://127.0.0.1:1/", "wss://localhost:1/ws"]) await reach(url);
    expect(asked).toEqual([]);
  });

  test.each(["socks5://proxy:1080", "http://", "ftp://proxy"])(
    "fail with a sentence when the proxy is %s",
    async (written) => {
      vi.stubEnv("HTTPS_PROXY", written);
      for (const url of ["https://venue.invalid/time", "wss://stream.invalid/ws"]) {
        expect(await reach(url)).toContain("HTTPS_PROXY is not the address of an HTTP proxy");
      }
    },
  );
});

test("an empty variable names no proxy", () => {
  expect(proxiesFor("venue.invalid", { HTTPS_PROXY: "", http_proxy: "" })).toBeUndefined();
});
