import { describe, expect, test } from "vitest";
import { decodeServerFrame } from "../../src/spec/stream.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import type { MemorySocket } from "../support/memory-server.ts";
import { START_MS, testCrypto, testVenue } from "../support/venue.ts";

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
  test("several channels in one request get one reply", async () => {
    const { server, post, alice } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(7, "trade@1_2", "depth@1_2", "ticker"));
    expect(socket.drain()).toEqual([{ result: "ok", id: 7 }]);
    await post("/api/v1/order", alice.limit("BUY", 1800, "1"));
    expect(payloads(socket, "depth@1_2")).toEqual([
      { marketId: "1_2", bids: [["1800", "1"]], asks: [], firstId: 1, finalId: 1, time: START_MS },
    ]);
  });

  test("subscribing twice is accepted and delivers once, and unsubscribing an unsubscribed channel is accepted", async () => {
    const { server, post, alice } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "depth@1_2", "depth@1_2"));
    socket.send(subscribe(2, "depth@1_2"));
    socket.send(unsubscribe(3, "trade@1_2"));
    expect(socket.drain()).toEqual([1, 2, 3].map((id) => ({ result: "ok", id })));
    await post("/api/v1/order", alice.limit("BUY", 1800, "1"));
    expect(socket.frames).toHaveLength(1);
    socket.send(unsubscribe(4, "depth@1_2"));
    socket.drain();
    await post("/api/v1/order", alice.limit("BUY", 1801, "1"));
    expect(socket.frames).toHaveLength(0);
  });

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

  test("an unknown market is 404 and nothing of the request is subscribed", async () => {
    const { server, post, alice } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "depth@1_2", "depth@9_9"));
    expect(socket.drain()).toEqual([{ error: { code: 404, message: expect.any(String) }, id: 1 }]);
    await post("/api/v1/order", alice.limit("BUY", 1800, "1"));
    expect(socket.frames).toEqual([]);
  });

  test.each([
    ["not JSON", "{", null],
    ["no id", { method: "subscribe", params: { channels: [] } }, null],
    ["an unknown method", { method: "list", params: { channels: [] }, id: 4 }, 4],
    ["no channels", { method: "subscribe", params: {}, id: 5 }, 5],
    [
      "an unknown channel",
      { method: "subscribe", params: { channels: ["candles@1_2"] }, id: 6 },
      6,
    ],
    ["a bad address", { method: "subscribe", params: { channels: ["userEvent@0x12"] }, id: 6 }, 6],
  ])("%s is 400 and the connection stays open", async (_, message, id) => {
    const { server } = await testVenue();
    const socket = server.connect();
    socket.send(message);
    expect(socket.drain()).toEqual([{ error: { code: 400, message: expect.any(String) }, id }]);
    socket.send(subscribe(9, "ticker"));
    expect(socket.frames).toEqual([{ result: "ok", id: 9 }]);
  });
});

describe("channels", () => {
  test("trades are pushed, and depth with contiguous ids per matching batch (D27, D36)", async () => {
    const { server, post, get, alice, bob } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "trade@1_2", "depth@1_2"));
    await post("/api/v1/order", alice.limit("SELL", 1800, "1"));
    await post("/api/v1/order", alice.limit("SELL", 1801, "1"));
    await post("/api/v1/order", bob.limit("BUY", 1801, "1.5"));
    const depth = payloads(socket, "depth@1_2");
    expect(depth.map(({ firstId, finalId }) => [firstId, finalId])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
    ]);
    expect(depth[2]).toMatchObject({
      asks: [
        ["1800", "0"],
        ["1801", "0.5"],
      ],
    });
    expect(payloads(socket, "trade@1_2")).toMatchObject([
      { price: "1800", quantity: "1", isBuyerMaker: false },
      { price: "1801", quantity: "0.5" },
    ]);
    expect((await get("/api/v1/market/depth?marketId=1_2")).body).toMatchObject({
      result: { lastUpdatedId: 4 },
    });
  });

  test("user events use the checksummed name, whatever letter case was subscribed (D3)", async () => {
    const { server, post, alice, bob } = await testVenue();
    const crypto = await testCrypto();
    const socket = server.connect();
    const name = `userEvent@${checksumAddress(alice.address, (bytes) => crypto.keccak256(bytes))}`;
    expect(name).not.toBe(`userEvent@${alice.address}`);
    socket.send(subscribe(1, `userEvent@${alice.address}`));
    const sell = alice.limit("SELL", 1800, "1");
    const buy = bob.limit("BUY", 1800, "0.4");
    await post("/api/v1/order", sell);
    await post("/api/v1/order", buy);
    const all = alice.sign({ type: "cancel-all", nonce: alice.nextNonce() });
    await post("/api/v1/order/cancel/all", all);
    const common = {
      topic: "ORDER",
      orderId: sell.txHash,
      accountAddress: alice.address,
      marketId: "1_2",
    };
    expect(payloads(socket, name)).toMatchObject([
      {
        ...common,
        eventType: "NEW",
        status: "NEW",
        tradeId: "",
        fee: "0",
        feeTokenId: null,
        lastQty: "0",
        blockNumber: 1,
        txHash: sell.txHash,
      },
      {
        ...common,
        eventType: "TRADE",
        status: "PARTIALLY_FILLED",
        executedQty: "0.4",
        executedQuoteQty: "720",
        lastPrice: "1800",
        lastQty: "0.4",
        fee: "0.144",
        feeTokenId: "2",
        tradeId: "1",
        isMaker: true,
        blockNumber: 2,
        txHash: buy.txHash,
      },
      {
        ...common,
        eventType: "CANCEL",
        status: "CANCELED",
        executedQty: "0.4",
        lastQty: "0",
        fee: "0",
        feeTokenId: null,
        txHash: all.txHash,
      },
    ]);
  });

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

  test("the faucet's deposits reach the subscription that caused them, after the reply (D33)", async () => {
    const { server } = await testVenue({ faucet: { "1": "10", "2": "25000" } });
    const socket = server.connect();
    const stranger = `0x${"ab".repeat(20)}`;
    socket.send(subscribe(1, `userEvent@${stranger}`));
    expect(socket.frames[0]).toEqual({ result: "ok", id: 1 });
    expect(socket.frames.slice(1)).toMatchObject([
      {
        params: {
          result: {
            topic: "ACCOUNT",
            eventType: "DEPOSIT",
            tokenId: "1",
            amount: "10",
            accountAddress: stranger,
            blockNumber: 1,
          },
        },
      },
      {
        params: { result: { eventType: "DEPOSIT", tokenId: "2", amount: "25000", blockNumber: 1 } },
      },
    ]);
  });

  test("depthSnapshot is pushed on change, at most every 500 ms, with the id of a depth event", async () => {
    const { server, post, alice, clock } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "depthSnapshot@1_2"));
    clock.advance(2000);
    expect(payloads(socket, "depthSnapshot@1_2")).toEqual([]);
    for (const price of [1800, 1801, 1802])
      await post("/api/v1/order", alice.limit("BUY", price, "1"));
    clock.advance(2000);
    expect(payloads(socket, "depthSnapshot@1_2")).toEqual([
      {
        marketId: "1_2",
        lastUpdateId: 3,
        bids: [
          ["1802", "1"],
          ["1801", "1"],
          ["1800", "1"],
        ],
        asks: [],
        time: START_MS + 2000,
      },
    ]);
    // A late subscriber gets a snapshot although nothing changes.
    const late = server.connect();
    late.send(subscribe(1, "depthSnapshot@1_2"));
    clock.advance(600);
    expect(payloads(late, "depthSnapshot@1_2")).toHaveLength(1);
  });

  test("ticker is pushed at most once a second with trades, and every 5 s without", async () => {
    const { server, post, alice, bob, clock } = await testVenue();
    const socket = server.connect();
    socket.send(subscribe(1, "ticker"));
    clock.advance(1000);
    expect(payloads(socket, "ticker")).toHaveLength(1);
    clock.advance(10_000);
    expect(payloads(socket, "ticker")).toHaveLength(3);
    await post("/api/v1/order", alice.limit("SELL", 1800, "5"));
    for (let second = 0; second < 4; second += 1) {
      await post("/api/v1/order", bob.limit("BUY", 1800, "0.5"));
      await post("/api/v1/order", bob.limit("BUY", 1800, "0.5"));
      clock.advance(1000);
    }
    expect(payloads(socket, "ticker")).toHaveLength(7);
    expect(payloads(socket, "ticker").at(-1)?.[0]).toMatchObject({ price: "1800", volume24h: "4" });
  });
});

describe("connections (§6.1, D27, D36)", () => {
  test("a ping is sent every 30 s, and its pong has 60 s", async () => {
    const { server, clock } = await testVenue();
    const [good, bad] = [server.connect(), server.connect()];
    clock.advance(30_000);
    expect([good.pings, bad.pings]).toEqual([1, 1]);
    good.pong();
    clock.advance(30_000);
    good.pong();
    clock.advance(29_999);
    expect([good.ended, bad.ended]).toEqual([undefined, undefined]);
    clock.advance(1);
    good.pong();
    expect([good.ended, bad.ended]).toEqual([undefined, "terminated"]);
  });

  test("a connection ends after 24 hours", async () => {
    const { server, clock } = await testVenue();
    const socket = server.connect();
    for (let at = 0; at < 2 * 60 * 24 - 1; at += 1) {
      clock.advance(30_000);
      socket.pong();
    }
    expect(socket.ended).toBeUndefined();
    clock.advance(30_000);
    expect(socket.ended).toMatchObject({ code: 1000 });
  });

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
