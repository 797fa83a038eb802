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
    maxFrameBytes: 10,
    respond({ body }) {
      seen.served += 1;
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
    long.send("more than ten bytes");
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
