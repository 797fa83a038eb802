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
