import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { createServerFactory } from "../../src/platform/server.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { testCrypto, TestTrader } from "../support/venue.ts";
import { startRealVenue } from "../support/real-venue.ts";

/** The same venue over real HTTP and WebSocket on loopback. */

let venue: RunningVenue;
let trader: TestTrader;

beforeAll(async () => {
  trader = new TestTrader(await testCrypto(), 1, systemClock);
  venue = await startRealVenue({ accounts: { [trader.address]: { "2": "10000" } } });
});
afterAll(() => venue.close());

test("a signed order over HTTP causes events over WebSocket", async () => {
  const socket = new WebSocket(venue.ws);
  const frames: { params?: { channel: string; result: { eventType?: string } } }[] = [];
  let look = (): void => undefined;
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => frames.length >= count && resolve();
      look();
    });
  socket.addEventListener("message", (message) => {
    frames.push(JSON.parse(`${message.data}`));
    look();
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const channels = ["depth@1_2", `userEvent@${trader.address}`];
  socket.send(JSON.stringify({ method: "subscribe", params: { channels }, id: 1 }));
  await arrived(1);
  const order = trader.limit("BUY", 1800, "1");
  const response = await fetch(`${venue.rest}/api/v1/order`, {
    method: "POST",
    body: JSON.stringify({ tx: order.tx }),
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    { code: 200, errMsg: "OK", result: order.txHash },
  ]);
  await arrived(3);
  expect(frames[0]).toEqual({ result: "ok", id: 1 });
  expect(frames.map((frame) => frame.params?.channel.split("@")[0])).toEqual([
    undefined,
    "depth",
    "userEvent",
  ]);
  expect(frames[2]?.params?.result.eventType).toBe("NEW");
  socket.close();
});

test("the transport refuses long bodies with 413, and a taken port is an error", async () => {
  const response = await fetch(`${venue.rest}/api/v1/order`, {
    method: "POST",
    body: "x".repeat(70_000),
  });
  expect(response.status).toBe(413);
  const port = Number(new URL(venue.rest).port);
  await expect(
    createServerFactory().listen({
      host: "127.0.0.1",
      port,
      socketPath: "/ws",
      maxBodyBytes: 1,
      maxFrameBytes: 1,
      respond: () => ({ status: 200, body: "" }),
      connected: () => ({ frame() {}, pong() {}, closed() {} }),
    }),
  ).rejects.toMatchObject({ code: "PORT_TAKEN" });
});
