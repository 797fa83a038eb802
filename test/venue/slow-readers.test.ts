import { expect, test } from "vitest";
import type { ServerOptions, ServerSocket } from "../../src/ports/server.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue } from "../../src/venue/start-venue.ts";
import { silentLog, START_MS, testCrypto } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const MIB = 1024 * 1024;

/** A client whose unread bytes the test sets. */
class SlowClient implements ServerSocket {
  bufferedBytes = 0;
  isCut = false;
  sent = 0;
  send(): void {
    this.sent += 1;
  }
  ping(): void {}
  close(): void {}
  freeze(): void {}
  terminate(): void {
    this.isCut = true;
  }
}

test("slow stream clients that are each within their limit are dropped, the slowest first, when they are too many", async () => {
  const clock = new VirtualClock(START_MS);
  let options: ServerOptions | undefined;
  const venue = await startVenue({
    config: venueSchema.parse({}),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server: {
        listen: (given) => {
          options = given;
          return Promise.resolve({ host: given.host, port: 1, close: () => Promise.resolve() });
        },
      },
      clock,
      timer: clock,
      crypto: await testCrypto(),
      log: silentLog,
    },
  });
  const subscribe = JSON.stringify({
    method: "subscribe",
    params: { channels: ["ticker"] },
    id: 1,
  });
  const clients = Array.from({ length: 40 }, () => new SlowClient());
  for (const client of clients) {
    options?.connected(client).frame(new TextEncoder().encode(subscribe));
  }
  for (const [at, client] of clients.entries()) client.bufferedBytes = at < 20 ? 1000 : 8 * MIB;
  clock.advance(1_100);
  const total = clients.reduce(
    (sum, { isCut, bufferedBytes }) => sum + (isCut ? 0 : bufferedBytes),
    0,
  );
  expect(total).toBeLessThanOrEqual(128 * MIB);
  expect(total).toBeGreaterThan(64 * MIB);
  expect(clients.slice(0, 20).every(({ isCut, sent }) => !isCut && sent === 2)).toBe(true);
  await venue.close();
});
