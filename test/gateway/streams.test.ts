import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { Address, MarketId } from "../../src/domain/ids.ts";
import { Streams } from "../../src/gateway/streams.ts";
import type { StreamTiming } from "../../src/gateway/stream-timing.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { ServerSocket } from "../../src/ports/server.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { payloads, userEvents } from "../spec/samples.ts";

const timing: StreamTiming = {
  pingMs: 5000,
  pongMs: 5000,
  stallMs: 20_000,
  openMs: 3000,
  backoffMs: 200,
  backoffMaxMs: 5000,
  lifetimeMs: 86_000_000,
  overlapMs: 2000,
};
const owner = `0x${"ab".repeat(20)}` as Address;

/** A scripted venue: the test sets its reply to a subscription and the frames that it pushes. */
async function world(
  reply: (id: number) => string | undefined = (id) => JSON.stringify({ result: "ok", id }),
) {
  const clock = new VirtualClock();
  const network = new VirtualNetwork({ timer: clock, prng: new Prng(3) });
  const server: {
    socket?: ServerSocket;
    requests: { method: string; params: { channels: string[] }; id: number }[];
    connects: number[];
  } = {
    requests: [],
    connects: [],
  };
  await network.servers.listen({
    host: "venue",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 1000,
    maxFrameBytes: 1000,
    respond: () => ({ status: 404, body: "" }),
    connected(socket) {
      server.socket = socket;
      server.connects.push(clock.elapsedMs);
      return {
        frame: (data) => {
          const request = JSON.parse(
            new TextDecoder().decode(data),
          ) as (typeof server.requests)[number];
          server.requests.push(request);
          const response = reply(request.id);
          if (response !== undefined) socket.send(response);
        },
        pong: () => undefined,
        closed: () => undefined,
      };
    },
  });
  const inputs: Input[] = [];
  const errors: string[] = [];
  const quiet = (): void => undefined;
  const streams = new Streams({
    connector: network.connector,
    url: "ws://venue:80/ws",
    clock,
    timer: clock,
    log: {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (_fields, message) => errors.push(message),
    },
    prng: new Prng(9),
    keccak256: (bytes) => bytes.slice(0, 32),
    markets: ["1_2" as MarketId],
    owner,
    timing,
    push: (input) => inputs.push(input),
  });
  const states = (): string[] =>
    inputs.flatMap((input) => (input.type === "stream" ? [input.state] : []));
  return { clock, network, server, inputs, errors, streams, states };
}

function push(channel: string, result: unknown): string {
  return JSON.stringify({ method: "subscription", params: { channel, result } });
}

function depth(firstId: number, finalId = firstId, market = "1_2"): string {
  const sides = { bids: [["100", "1.5"]], asks: [] };
  return push(`depth@${market}`, { marketId: market, ...sides, firstId, finalId, time: 1 });
}

describe("streams", () => {
  it("subscribe to every channel in one request and push data only after the confirmation", async () => {
    const { clock, server, streams, inputs } = await world();
    streams.start();
    await clock.runUntil(() => server.socket !== undefined, 1000);
    server.socket?.send(depth(1));
    await clock.runFor(50);
    server.socket?.send(depth(2));
    server.socket?.send(depth(3, 3, "7_8"));
    await clock.runFor(50);
    expect(
      server.requests.map(({ method, params }) => [
        method,
        params.channels.map((name) => name.toLowerCase()),
      ]),
    ).toEqual([
      ["subscribe", ["depth@1_2", "trade@1_2", "depthsnapshot@1_2", `userevent@${owner}`]],
    ]);
    const kinds = inputs.filter((input) => !(input.type === "stream" && input.state === "alive"));
    expect(kinds).toEqual([
      { type: "stream", state: "opened", reason: "" },
      {
        type: "depth",
        event: {
          marketId: "1_2",
          firstId: 2,
          finalId: 2,
          timeMs: 1,
          bids: Float64Array.of(100, 1.5),
          asks: new Float64Array(),
        },
      },
    ]);
  });

  it("read frames that the scanner does not know with the reference codec", async () => {
    const { clock, server, streams, inputs } = await world();
    streams.start();
    await clock.runFor(50);
    server.socket?.send(
      ` {"params":{"result":{"time":5,"finalId":9,"firstId":8,"asks":[["101","2"]],"bids":[],"marketId":"1_2"},"channel":"depth@1_2"},"method":"subscription"}`,
    );
    server.socket?.send(push("trade@1_2", payloads["trade"]));
    server.socket?.send(push("depthSnapshot@1_2", payloads["depthSnapshot"]));
    const event = {
      ...userEvents[1],
      accountAddress: owner.toUpperCase().replace("0X", "0x"),
      orderId: `0x${"B".repeat(64)}`,
      status: "PARTIALLY_FILLED",
      lastQty: "0.1",
      feeTokenId: null,
    };
    server.socket?.send(push(`userEvent@${owner}`, event));
    await clock.runFor(50);
    const data = inputs.filter(({ type }) => type !== "stream");
    expect(data.map(({ type }) => type)).toEqual(["depth", "trade", "depthAudit", "orderEvent"]);
    expect(data[0]).toMatchObject({
      event: { firstId: 8, finalId: 9, asks: Float64Array.of(101, 2) },
    });
    expect(data[1]).toMatchObject({ trade: { price: 1834.5, quantity: 0.25, isBuyerMaker: true } });
    expect(data[3]).toMatchObject({
      event: {
        order: { orderId: `0x${"b".repeat(64)}`, account: owner, status: "PARTIALLY_FILLED" },
        fill: { tradeId: "9", feeToken: "1", isMaker: true, quantity: 10n ** 25n },
      },
    });
  });

  it("detect a dead socket by their own ping and reconnect", async () => {
    const { clock, network, streams, states } = await world();
    streams.start();
    await clock.runFor(6000);
    expect(states()).toEqual(["opened", "alive", "alive"]);
    network.faults.frozen = true;
    await clock.runFor(11_000);
    expect(states().at(-1)).toBe("closed");
    network.faults.frozen = false;
    await clock.runFor(10_000);
    expect(states().filter((state) => state === "opened").length).toBe(2);
  });

  it("report silence of data once, without cutting the connection", async () => {
    const { clock, server, streams, states } = await world();
    streams.start();
    await clock.runFor(60_000);
    expect(states().filter((state) => state === "stalled").length).toBe(1);
    server.socket?.send(depth(1));
    await clock.runFor(60_000);
    expect(states().filter((state) => state === "stalled").length).toBe(2);
    expect(states()).not.toContain("closed");
  });

  it("reconnect after growing, jittered, bounded waits", async () => {
    const { clock, network, streams, server, states } = await world();
    streams.start();
    await clock.runFor(100);
    for (let round = 0; round < 9; round += 1) {
      network.cutSockets();
      await clock.runUntil(() => server.connects.length === round + 2, 20_000);
    }
    const waits = server.connects.slice(1).map((at, index) => at - (server.connects[index] ?? 0));
    for (const [index, wait] of waits.entries()) {
      const full = Math.min(200 * 2 ** index, 5000);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full + 110);
    }
    expect(new Set(states().filter((state) => state !== "alive"))).toEqual(
      new Set(["opened", "closed"]),
    );
  });

  it("log an error when the venue refuses the subscription", async () => {
    const { clock, streams, inputs, errors } = await world((id) =>
      JSON.stringify({ error: { code: 404, message: "no market 1_2" }, id }),
    );
    streams.start();
    await clock.runFor(100);
    expect(errors).toEqual(["the venue refused the subscription"]);
    expect(inputs[0]).toMatchObject({
      type: "stream",
      state: "closed",
      reason: expect.stringContaining("no market 1_2"),
    });
  });

  it("drop a connection whose subscription gets no reply", async () => {
    const { clock, streams, states, server } = await world(() => undefined);
    streams.start();
    await clock.runFor(3100);
    expect(states()).toEqual(["closed"]);
    await clock.runFor(1000);
    expect(server.connects.length).toBe(2);
  });

  it("count unreadable frames, report them as stalled, and continue", async () => {
    const { clock, server, streams, states, inputs } = await world();
    streams.start();
    await clock.runFor(50);
    server.socket?.send("nonsense");
    server.socket?.send(push(`userEvent@${owner}`, { topic: "ORDER" }));
    server.socket?.send(depth(5));
    await clock.runFor(50);
    expect(streams.unreadable).toBe(2);
    expect(states().filter((state) => state === "stalled").length).toBe(1);
    expect(inputs.at(-1)).toMatchObject({ type: "depth" });
  });

  it("end a connection with hundreds of unreadable frames in a second, and read what follows a few of them", async () => {
    const { clock, server, streams, states } = await world();
    streams.start();
    await clock.runFor(50);
    for (let second = 0; second < 5; second += 1) {
      for (let frame = 0; frame < 50; frame += 1) server.socket?.send("nonsense");
      await clock.runFor(1_000);
    }
    expect(states()).not.toContain("closed");
    for (let frame = 0; frame < 3_000; frame += 1) server.socket?.send("nonsense");
    await clock.runFor(50);
    expect(states()).toContain("closed");
    // The others are not even decoded.
    expect(streams.unreadable).toBe(250 + 101);
    await clock.runFor(1_000);
    expect(server.connects.length).toBe(2);
  });
});

describe("one channel", () => {
  it("is subscribed to anew on the same connection, and reported once the venue has confirmed it", async () => {
    const { clock, server, streams, inputs, states } = await world();
    streams.start();
    await clock.runFor(1_000);
    const channel = { kind: "depth", marketId: "1_2" as MarketId } as const;
    streams.resubscribe(channel);
    expect(inputs).not.toContainEqual({ type: "resubscribed", channel });
    await clock.runFor(1_000);
    expect(
      server.requests.slice(1).map(({ method, params }) => [method, ...params.channels]),
    ).toEqual([
      ["unsubscribe", "depth@1_2"],
      ["subscribe", "depth@1_2"],
    ]);
    expect(inputs.filter(({ type }) => type === "resubscribed")).toEqual([
      { type: "resubscribed", channel },
    ]);
    expect(states().filter((state) => state !== "alive")).toEqual(["opened"]);
    expect(server.connects).toHaveLength(1);
    server.socket?.send(depth(1));
    await clock.runFor(50);
    expect(inputs.at(-1)).toMatchObject({ type: "depth" });
  });

  it("of the account is subscribed to by its checksummed name", async () => {
    const { clock, server, streams, inputs } = await world();
    streams.start();
    await clock.runFor(1_000);
    streams.resubscribe({ kind: "userEvent" });
    await clock.runFor(1_000);
    expect(server.requests.at(-1)?.params.channels).toEqual(
      server.requests[0]?.params.channels.slice(-1),
    );
    expect(inputs).toContainEqual({ type: "resubscribed", channel: { kind: "userEvent" } });
  });

  it("is not reported when the connection ends first, and nothing is sent while there is none", async () => {
    const { clock, server, streams, inputs } = await world((id) =>
      id === 1 ? JSON.stringify({ result: "ok", id }) : undefined,
    );
    const channel = { kind: "trade", marketId: "1_2" as MarketId } as const;
    streams.resubscribe(channel);
    expect(server.requests).toEqual([]);
    streams.start();
    await clock.runFor(1_000);
    streams.resubscribe(channel);
    await clock.runFor(100);
    server.socket?.terminate();
    await clock.runFor(10_000);
    expect(server.connects).toHaveLength(2);
    expect(inputs.filter(({ type }) => type === "resubscribed")).toEqual([]);
  });
});
