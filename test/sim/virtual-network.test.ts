import { describe, expect, it } from "vitest";
import { TransportError } from "../../src/base/error.ts";
import { Prng } from "../../src/base/prng.ts";
import type { ServerSocket } from "../../src/ports/server.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import type { NetworkFaults } from "../../src/sim/network-faults.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";

async function world() {
  const clock = new VirtualClock();
  const network = new VirtualNetwork({ timer: clock, prng: new Prng(5) });
  const seen = { served: 0, server: [] as string[], client: [] as string[] };
  const ends: { server?: ServerSocket } = {};
  const running = await network.servers.listen({
    host: "venue",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 10,
    maxFrameBytes: 60,
    respond({ body, path }) {
      seen.served += 1;
      if (path === "/time") return { status: 200, body: "1700000000000" };
      return { status: body === undefined ? 413 : 200, headers: { "X-A": "b" }, body: "ok" };
    },
    connected(socket) {
      ends.server = socket;
      return {
        frame: (data) => seen.server.push(new TextDecoder().decode(data)),
        pong: () => seen.server.push("pong"),
        closed: () => seen.server.push("closed"),
      };
    },
  });
  const ask = (body = "x", timeoutMs = 100): Promise<string> =>
    network.http.request({ method: "POST", url: "http://venue:80/a", body, timeoutMs }).then(
      ({ status }) => String(status),
      (thrown: unknown) => (thrown instanceof TransportError ? thrown.outcome : "bug"),
    );
  const dial = (url = "ws://venue:80/ws") =>
    network.connector.connect(url, {
      opened: () => seen.client.push("opened"),
      frame: (data) => seen.client.push(new TextDecoder().decode(data)),
      pong: () => seen.client.push("pong"),
      closed: (code) => seen.client.push(`closed ${code}`),
    });
  const during = async (faults: Partial<NetworkFaults>, body?: string): Promise<string> => {
    const before = { ...network.faults };
    Object.assign(network.faults, faults);
    const response = ask(body);
    await clock.runFor(200);
    Object.assign(network.faults, before);
    return response;
  };
  return { clock, network, seen, ends, running, dial, during };
}

describe("virtual HTTP", () => {
  it("separates not-sent from unknown like the real client, and serves requests that arrived", async () => {
    const { seen, during, running } = await world();
    expect(await during({})).toBe("200");
    expect(await during({}, "a body that is too long")).toBe("413");
    expect(seen.served).toBe(2);
    expect(await during({ refuse: true })).toBe("not-sent");
    expect(await during({ loseRequest: 1 })).toBe("unknown");
    expect(seen.served).toBe(2);
    expect(await during({ loseResponse: 1 })).toBe("unknown");
    expect(await during({ cutResponse: 1 })).toBe("unknown");
    expect(seen.served).toBe(4);
    expect(await during({ duplicate: 1 })).toBe("200");
    expect(seen.served).toBe(6);
    expect(await during({ unavailable: 1 })).toBe("503");
    expect(await during({ frozen: true })).toBe("unknown");
    expect(seen.served).toBe(6);
    await running.close();
    expect(await during({})).toBe("not-sent");
  });
});

describe("faults of requests", () => {
  const get = async (
    { network, clock }: Awaited<ReturnType<typeof world>>,
    path: string,
    timeoutMs = 100,
  ): Promise<string> => {
    const response = network.http
      .request({ method: "GET", url: `http://venue:80${path}`, timeoutMs })
      .then(({ body, status, headers }) =>
        status === 200 ? new TextDecoder().decode(body) : `${status} ${headers["retry-after"]}`,
      );
    await clock.runFor(10);
    return response;
  };

  it("deliver a POST long after its client gave up", async () => {
    const { clock, seen, during } = await world();
    expect(await during({ lateRequest: 1, lateMs: 12_000 })).toBe("unknown");
    await clock.runFor(11_700);
    expect(seen.served).toBe(0);
    await clock.runFor(200);
    expect(seen.served).toBe(1);
  });

  it("answer from a cache up to its age", async () => {
    const one = await world();
    const { clock, network, seen } = one;
    network.faults.cacheMs = 1_000;
    for (const path of ["/a", "/a", "/b"]) await get(one, path);
    expect(seen.served).toBe(2);
    await clock.runFor(1_000);
    await get(one, "/a");
    expect(seen.served).toBe(3);
  });

  it("refuse as a proxy does, and change one answer about the time", async () => {
    const one = await world();
    const { network, seen } = one;
    const { faults } = network;
    Object.assign(faults, { proxyRefusal: 1, proxyStatus: 429, proxyRetryAfterSec: 3_600 });
    const refused = new Set<string>();
    for (let i = 0; i < 100; i += 1) refused.add(await get(one, "/a"));
    expect([...refused]).toEqual(["429 3600"]);
    // A proxy may refuse what it has passed on.
    expect(seen.served).toBeGreaterThan(0);
    expect(seen.served).toBeLessThan(50);
    faults.proxyRefusal = 0;
    for (const [wrongTime, expected] of [
      ["zero", "0"],
      ["seconds", "1700000000"],
      ["hourAhead", "1700003600000"],
      ["hourBehind", "1699996400000"],
    ] as const) {
      faults.wrongTime = wrongTime;
      expect(await get(one, "/time")).toBe(expected);
      expect(await get(one, "/time")).toBe("1700000000000");
    }
  });
});

describe("faults of pushes", () => {
  const pushed = async (faults: Partial<NetworkFaults>): Promise<readonly string[]> => {
    const { clock, network, seen, ends, dial } = await world();
    dial();
    await clock.runFor(10);
    Object.assign(network.faults, faults);
    ends.server?.send("response");
    for (const name of ["depth@1", "trade@2", "depth@3", "trade@4"]) {
      ends.server?.send(`{"channel":"${name}"}`);
    }
    await clock.runFor(10);
    return seen.client.slice(1).map((text) => /@(\d)/.exec(text)?.[1] ?? text);
  };

  it("lose, double and swap pushes, and silence one channel, but spare responses", async () => {
    expect(await pushed({})).toEqual(["response", "1", "2", "3", "4"]);
    expect(await pushed({ loseFrame: 1 })).toEqual(["response"]);
    expect(await pushed({ doubleFrame: 1 })).toEqual(
      [..."r11223344"].map((is) => (is === "r" ? "response" : is)),
    );
    expect(await pushed({ swapFrame: 1 })).toEqual(["response", "2", "1", "4", "3"]);
    expect(await pushed({ deadChannel: "depth" })).toEqual(["response", "2", "4"]);
  });

  it("lose the subscriptions of one connection until it makes them again", async () => {
    const { clock, network, seen, ends, dial } = await world();
    const shown = async (): Promise<readonly string[]> => {
      for (const name of ["depth@1", "depth@2", "trade@3"]) {
        ends.server?.send(`{"channel":"${name}"}`);
      }
      await clock.runFor(10);
      return seen.client.splice(0).map((text) => /@(\d)/.exec(text)?.[1] ?? text);
    };
    const request = async (method: string): Promise<void> => {
      socket.send(`{"method":"${method}","params":["depth@1"]}`);
      await clock.runFor(10);
    };
    const socket = dial();
    await clock.runFor(10);
    network.loseChannels("depth");
    expect(await shown()).toEqual(["opened", "3"]);
    await request("unsubscribe");
    expect(await shown()).toEqual(["3"]);
    await request("subscribe");
    expect(await shown()).toEqual(["1", "3"]);
    network.loseChannels("depth");
    expect(await shown()).toEqual(["3"]);
    network.loseChannels(undefined);
    expect(await shown()).toEqual(["1", "2", "3"]);
    network.loseChannels("depth");
    dial();
    await clock.runFor(10);
    expect(await shown()).toEqual(["opened", "1", "2", "3"]);
  });
});

describe("virtual sockets", () => {
  it("deliver in order both ways, answer pings and end once on both sides", async () => {
    const { clock, seen, ends, dial } = await world();
    const socket = dial();
    await clock.runFor(10);
    for (let number = 0; number < 20; number += 1) {
      socket.send(`c${number}`);
      ends.server?.send(`s${number}`);
    }
    socket.ping();
    ends.server?.ping();
    expect(ends.server?.bufferedBytes).toBeGreaterThan(0);
    await clock.runFor(10);
    const numbers = (letter: string) => Array.from({ length: 20 }, (_, at) => `${letter}${at}`);
    expect(seen.server.filter((text) => text !== "pong")).toEqual(numbers("c"));
    expect(seen.client.filter((text) => text !== "pong")).toEqual(["opened", ...numbers("s")]);
    expect(seen.client).toContain("pong");
    expect(seen.server).toContain("pong");
    expect(ends.server?.bufferedBytes).toBe(0);
    socket.close();
    await clock.runFor(10);
    socket.terminate();
    ends.server?.close(1000, "");
    await clock.runFor(10);
    expect(seen.client.filter((text) => text.startsWith("closed"))).toEqual(["closed 1000"]);
    expect(seen.server.filter((text) => text === "closed").length).toBe(1);
  });

  it("are refused, cut, frozen and closed for long frames", async () => {
    const { clock, network, seen, dial } = await world();
    dial("ws://venue:80/other");
    dial("ws://nowhere:80/ws");
    await clock.runFor(10);
    expect(seen.client.splice(0)).toEqual(["closed 1006", "closed 1006"]);
    dial();
    await clock.runFor(10);
    network.cutSockets();
    await clock.runFor(10);
    expect(seen.client.splice(0)).toEqual(["opened", "closed 1006"]);
    const long = dial();
    await clock.runFor(10);
    long.send("sixty-one bytes".padEnd(61));
    await clock.runFor(10);
    expect(seen.client.splice(0)).toEqual(["opened", "closed 1009"]);
    const frozen = dial();
    await clock.runFor(10);
    network.faults.frozen = true;
    frozen.send("a");
    frozen.ping();
    await clock.runFor(1000);
    expect(seen.client.splice(0)).toEqual(["opened"]);
    frozen.terminate();
    await clock.runFor(10);
    expect(seen.client).toEqual(["closed 1006"]);
  });

  it("stay half-open after a freeze or a lost message, until one side gives up", async () => {
    const { clock, network, seen, ends, dial } = await world();
    for (const breakIt of [
      async () => {
        network.faults.frozen = true;
        ends.server?.send("lost");
        await clock.runFor(10);
        network.faults.frozen = false;
      },
      async () => network.makeSocketsHalfOpen(),
    ]) {
      const socket = dial();
      await clock.runFor(10);
      await breakIt();
      ends.server?.send("later");
      socket.ping();
      await clock.runFor(1000);
      expect(seen.client.splice(0)).toEqual(["opened"]);
      socket.terminate();
      await clock.runFor(10);
      expect(seen.client.splice(0)).toEqual(["closed 1006"]);
    }
    // The server has not noticed.
    expect(seen.server).toEqual([]);
    ends.server?.terminate();
    await clock.runFor(10);
    expect(seen.server).toEqual(["closed"]);
  });
});
