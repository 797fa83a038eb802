import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { Address, MarketId } from "../../src/domain/ids.ts";
import { Streams } from "../../src/gateway/streams.ts";
import { defaultStreamTiming, type StreamTiming } from "../../src/gateway/stream-timing.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { ServerSocket } from "../../src/ports/server.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { silentLog } from "../support/venue.ts";

const owner = `0x${"ab".repeat(20)}` as Address;
const LIFETIME_MS = 2_000;
const timing: StreamTiming = {
  ...defaultStreamTiming,
  pingMs: 300,
  pongMs: 900,
  openMs: 900,
  backoffMs: 100,
  backoffMaxMs: 400,
  lifetimeMs: LIFETIME_MS,
  overlapMs: 600,
};

function push(channel: string, result: unknown): string {
  return JSON.stringify({ method: "subscription", params: { channel, result } });
}

function depth(id: number): string {
  const bids = [["100", String(id)]];
  return push("depth@1_2", {
    marketId: "1_2",
    bids,
    asks: [],
    firstId: id,
    finalId: id,
    time: 1,
  });
}

function trade(id: number): string {
  return push("trade@1_2", {
    tradeId: `t${id}`,
    marketId: "1_2",
    price: "100",
    quantity: "1",
    buyOrderId: `0x${"1".repeat(64)}`,
    sellOrderId: `0x${"2".repeat(64)}`,
    createdAt: 1,
    isBuyerMaker: true,
  });
}

function deposit(id: number): string {
  return push(`userEvent@${owner}`, {
    topic: "ACCOUNT",
    eventType: "DEPOSIT",
    eventTime: 1,
    blockNumber: id,
    accountAddress: owner,
    txHash: `0x${id.toString(16).padStart(64, "0")}`,
    tokenId: "1",
    amount: "1",
  });
}

/** A venue that sends all data to every subscriber, and streams connected to it. */
async function startOverlapping(
  options: { seed?: number; latencyMs?: readonly [number, number] } = {},
) {
  const clock = new VirtualClock();
  const prng = new Prng(options.seed ?? 1);
  const network = new VirtualNetwork({ timer: clock, prng: prng.fork("network") });
  network.faults.latencyMs = options.latencyMs ?? [0.1, 60];
  const venue = {
    subscribed: new Set<ServerSocket>(),
    born: new Map<ServerSocket, number>(),
    /** The age of each ended connection, milliseconds. */
    ages: [] as number[],
    most: 0,
    refuses: false,
    ids: { depth: 0, trade: 0, block: 0 },
  };
  await network.servers.listen({
    host: "venue",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 1000,
    maxFrameBytes: 1000,
    respond: () => ({ status: 404, body: "" }),
    connected(socket) {
      venue.born.set(socket, clock.elapsedMs);
      return {
        frame: (data) => {
          const { id } = JSON.parse(new TextDecoder().decode(data)) as { id: number };
          if (venue.refuses) {
            socket.send(JSON.stringify({ error: { code: 503, message: "busy" }, id }));
            return;
          }
          venue.subscribed.add(socket);
          venue.most = Math.max(venue.most, venue.subscribed.size);
          socket.send(JSON.stringify({ result: "ok", id }));
        },
        pong: () => undefined,
        closed: () => {
          venue.subscribed.delete(socket);
          venue.ages.push(clock.elapsedMs - (venue.born.get(socket) ?? 0));
        },
      };
    },
  });
  const inputs: Input[] = [];
  const streams = new Streams({
    connector: network.connector,
    url: "ws://venue:80/ws",
    clock,
    timer: clock,
    log: silentLog,
    prng: prng.fork("streams"),
    keccak256: (bytes) => bytes.slice(0, 32),
    markets: ["1_2" as MarketId],
    owner,
    timing,
    push: (input) => inputs.push(input),
  });
  const broadcast = (text: string): void => {
    for (const socket of venue.subscribed) socket.send(text);
  };
  const { ids } = venue;
  const busy = prng.fork("venue");
  const publish = (): void => {
    if (busy.chance(0.6)) broadcast(depth((ids.depth += 1)));
    if (busy.chance(0.3)) broadcast(trade((ids.trade += 1)));
    if (busy.chance(0.1)) broadcast(deposit((ids.block += 1)));
    clock.after(busy.unit() * 20, publish);
  };
  const states = (): string[] =>
    inputs.flatMap((input) =>
      input.type === "stream" && input.state !== "alive" ? [input.state] : [],
    );
  const depthIds = (): number[] =>
    inputs.flatMap((input) => (input.type === "depth" ? [input.event.finalId] : []));
  const tradeIds = (): number[] =>
    inputs.flatMap((input) =>
      input.type === "trade" ? [Number(input.trade.tradeId.slice(1))] : [],
    );
  const blocks = (): number[] =>
    inputs.flatMap((input) => (input.type === "accountEvent" ? [input.event.blockNumber] : []));
  return { clock, network, venue, streams, inputs, publish, states, depthIds, tradeIds, blocks };
}

/** Expects consecutive ids. */
function expectNothingMissing(ids: readonly number[]): void {
  const first = ids[0] ?? 0;
  expect(ids).toEqual(ids.map((_, index) => first + index));
}

describe("a connection that is replaced before its end", () => {
  it("loses and repeats no data, whichever of the two connections delivers first", async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const run = await startOverlapping({ seed });
      run.streams.start();
      run.publish();
      await run.clock.runFor(40_000);
      const name = `seed ${seed}`;
      expect(run.states(), name).toEqual(["opened"]);
      expect(run.streams.handovers, name).toBeGreaterThan(10);
      expect(run.venue.most, name).toBe(2);
      expect(Math.max(...run.venue.ages), name).toBeLessThan(LIFETIME_MS + 2_500);
      expectNothingMissing(run.depthIds());
      expectNothingMissing(run.tradeIds());
      expect(run.depthIds().length, name).toBeGreaterThan(1000);
      // User events may be repeated but never lost.
      const blocks = [...new Set(run.blocks())];
      expectNothingMissing(blocks);
      run.streams.stop();
    }
  });

  it("is replaced in a silent market, too", async () => {
    const run = await startOverlapping();
    run.streams.start();
    await run.clock.runFor(20_000);
    expect(run.streams.handovers).toBeGreaterThan(4);
    expect(run.states()).toEqual(["opened"]);
    run.streams.stop();
    await run.clock.runFor(1_000);
    expect(run.venue.subscribed.size).toBe(0);
  });

  it("stays while the next connection fails, and tries again", async () => {
    const run = await startOverlapping();
    run.streams.start();
    run.publish();
    await run.clock.runFor(1_000);
    run.venue.refuses = true;
    await run.clock.runFor(8_000);
    expect(run.streams.handovers).toBe(0);
    expect(run.states()).toEqual(["opened"]);
    run.venue.refuses = false;
    await run.clock.runFor(3_000);
    expect(run.streams.handovers).toBeGreaterThan(0);
    expect(run.states()).toEqual(["opened"]);
    expectNothingMissing(run.depthIds());
  });

  it("gives way to the next one at once, with closed and opened, when it dies during the overlap", async () => {
    const run = await startOverlapping();
    run.streams.start();
    run.publish();
    await run.clock.runUntil(() => run.venue.subscribed.size === 2, 10_000);
    const [old] = run.venue.subscribed;
    const before = run.clock.elapsedMs;
    old?.close(1001, "bye");
    await run.clock.runUntil(() => run.states().length === 3, 5_000);
    expect(run.states()).toEqual(["opened", "closed", "opened"]);
    expect(run.clock.elapsedMs - before).toBeLessThan(200);
    const from = run.inputs.findLastIndex((input) => input.type === "stream");
    await run.clock.runFor(1_000);
    const ids = run.inputs
      .slice(from)
      .flatMap((input) => (input.type === "depth" ? [input.event.finalId] : []));
    expect(ids.length).toBeGreaterThan(10);
    expectNothingMissing(ids);
  });

  it("is cut together with the next one when data has to be shed", async () => {
    const run = await startOverlapping();
    run.streams.start();
    run.publish();
    await run.clock.runUntil(() => run.venue.subscribed.size === 2, 10_000);
    run.streams.restart("too much");
    await run.clock.runUntil(() => run.states().length === 3, 5_000);
    expect(run.states()).toEqual(["opened", "closed", "opened"]);
    await run.clock.runFor(1_000);
    expect(run.venue.subscribed.size).toBe(1);
  });
});
