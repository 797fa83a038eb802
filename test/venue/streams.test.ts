import { describe, expect, test } from "vitest";
import { decodeServerFrame } from "../../src/spec/stream.ts";
import type { MemorySocket } from "../support/memory-server.ts";
import { testVenue } from "../support/venue.ts";

/** Payloads of one channel, in order. Every frame is validated against the interface. */
function payloads(socket: MemorySocket, channel: string): Record<string, unknown>[] {
  return socket.frames.flatMap((frame): Record<string, unknown>[] => {
    const decoded = decodeServerFrame(JSON.stringify(frame));
    if (!decoded.ok) throw new Error(decoded.error);
    if (decoded.value.type !== "push" || decoded.value.push.channel !== channel) return [];
    expect(decoded.value.extraFields).toBe(0);
    return [Object.fromEntries(Object.entries(decoded.value.push.payload))];
  });
}

const subscribe = (id: number, ...channels: string[]) => ({
  method: "subscribe",
  params: { channels },
  id,
});
const unsubscribe = (id: number, ...channels: string[]) => ({
  method: "unsubscribe",
  params: { channels },
  id,
});

describe("subscriptions (§6.2, D28, D29)", () => {
  test("all connections share a limit, beyond which markets, known addresses and those of `accounts` are still accepted", async () => {
    const { server, alice } = await testVenue();
    const name = (at: number) => `userEvent@0x${at.toString(16).padStart(40, "0")}`;
    const fill = (from: number) => {
      const socket = server.connect();
      socket.send(subscribe(1, ...Array.from({ length: 1000 }, (_, at) => name(from + at))));
      return socket;
    };
    const full = Array.from({ length: 20 }, (_, at) => fill(1000 * at));
    for (const socket of full) expect(socket.drain()).toEqual([{ result: "ok", id: 1 }]);
    const socket = server.connect();
    socket.send(subscribe(2, "ticker", name(200_000)));
    socket.send(subscribe(3, "ticker", "depth@1_2", name(5)));
    expect(socket.drain()).toEqual([
      { error: { code: 503, message: expect.any(String) }, id: 2 },
      { result: "ok", id: 3 },
    ]);
    socket.send(subscribe(4, `userEvent@${alice.address}`));
    expect(socket.drain()).toEqual([{ result: "ok", id: 4 }]);
    full[7]?.close();
    socket.send(subscribe(5, name(200_000)));
    expect(socket.drain()).toEqual([{ result: "ok", id: 5 }]);
  });
});

describe("channels", () => {
  test("two spellings of an address are one channel: events come once, to its subscribers only, until either name is unsubscribed (D3)", async () => {
    const { server, post, alice, bob } = await testVenue();
    const lower = `userEvent@${alice.address}`;
    const upper = `userEvent@0x${alice.address.slice(2).toUpperCase()}`;
    const [twice, once, other] = [server.connect(), server.connect(), server.connect()];
    twice.send(subscribe(1, lower, upper));
    once.send(subscribe(1, upper));
    other.send(subscribe(1, `userEvent@${bob.address}`));
    for (const socket of [twice, once, other]) socket.drain();
    await post("/api/v1/order", alice.limit("SELL", 1800, "1"));
    expect([twice, once, other].map((socket) => socket.drain().length)).toEqual([1, 1, 0]);
    twice.send(unsubscribe(2, upper));
    expect(twice.drain()).toEqual([{ result: "ok", id: 2 }]);
    await post("/api/v1/order", alice.limit("SELL", 1801, "1"));
    expect([twice, once, other].map((socket) => socket.drain().length)).toEqual([0, 1, 0]);
    once.send(unsubscribe(2, lower));
    twice.send(subscribe(3, upper));
    for (const socket of [twice, once]) socket.drain();
    await post("/api/v1/order", alice.limit("SELL", 1802, "1"));
    expect([twice, once, other].map((socket) => socket.drain().length)).toEqual([1, 0, 0]);
  });
});

describe("connections (§6.1, D27, D36)", () => {
  test("a client that does not read is dropped at 16 MiB, together with its subscriptions", async () => {
    const { server, post, alice } = await testVenue();
    const [slow, quick] = [server.connect(), server.connect()];
    for (const socket of [slow, quick]) socket.send(subscribe(1, "depth@1_2"));
    slow.bufferedBytes = 16 * 1024 * 1024;
    await post("/api/v1/order", alice.limit("BUY", 1800, "1"));
    expect(slow.ended).toBeUndefined();
    slow.bufferedBytes += 1;
    await post("/api/v1/order", alice.limit("BUY", 1801, "1"));
    await post("/api/v1/order", alice.limit("BUY", 1802, "1"));
    expect(slow.ended).toBe("terminated");
    expect(payloads(slow, "depth@1_2")).toHaveLength(2);
    expect(payloads(quick, "depth@1_2")).toHaveLength(3);
  });

  test("a client that leaves ends its subscriptions and timers", async () => {
    const { server, clock } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "ticker", "depthSnapshot@1_2", "depth@1_2"));
    socket.close();
    clock.advance(10_000);
    expect(clock.pending).toBe(0);
  });

  test("no timer runs after all clients left and the venue closed", async () => {
    const { venue, server, clock } = await testVenue({ flow: "synthetic" });
    const socket = server.connect();
    socket.send(subscribe(1, "ticker", "depthSnapshot@1_2"));
    await venue.close();
    expect(socket.ended).toMatchObject({ code: 1001 });
    expect(clock.pending).toBe(0);
  });
});
