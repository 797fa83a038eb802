import { expect, test } from "vitest";
import type { Address } from "../../src/domain/ids.ts";
import type { ServerSocket } from "../../src/ports/server.ts";
import { HeldServer } from "../support/held-server.ts";
import { type VenueDocument, venueSchema } from "../../src/venue/config.ts";
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

async function openVenue(document: VenueDocument = {}) {
  const clock = new VirtualClock(START_MS);
  const server = new HeldServer();
  const venue = await startVenue({
    config: venueSchema.parse(document),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server,
      clock,
      timer: clock,
      crypto: await testCrypto(),
      log: silentLog,
    },
  });
  const connect = (client: ServerSocket, channels: readonly string[]): void => {
    const request = JSON.stringify({ method: "subscribe", params: { channels }, id: 1 });
    server.options.connected(client).frame(new TextEncoder().encode(request));
  };
  return { clock, connect, venue };
}

test("slow stream clients that are each within their limit are dropped, the slowest first, when they are too many", async () => {
  const { clock, connect, venue } = await openVenue();
  const clients = Array.from({ length: 40 }, () => new SlowClient());
  for (const client of clients) connect(client, ["ticker"]);
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

test.each([
  { more: 0, cut: 0 },
  // The slowest go until a quarter of the room is free, not the one that had the last byte.
  { more: 1, cut: 3 },
])(
  "slow stream clients that together have 128 MiB and $more bytes to read: $cut are dropped",
  async ({ more, cut }) => {
    const { clock, connect, venue } = await openVenue();
    const clients = Array.from({ length: 10 }, () => new SlowClient());
    for (const client of clients) connect(client, ["ticker"]);
    for (const client of clients.slice(0, 8)) client.bufferedBytes = 16 * MIB;
    for (const client of clients.slice(9)) client.bufferedBytes = more;
    clock.advance(1_100);
    expect(clients.map(({ isCut }) => isCut)).toEqual(clients.map((_, at) => at < cut));
    await venue.close();
  },
);

test("a request for a thousand users funds a few of them at a time, and all of them in the end", async () => {
  const { clock, connect, venue } = await openVenue({ faucet: { "1": "10" } });
  const users = Array.from({ length: 1000 }, (_, at) => `0x${at.toString(16).padStart(40, "0")}`);
  const client = new SlowClient();
  connect(
    client,
    users.map((user) => `userEvent@${user}`),
  );
  const funded = (): number =>
    users.filter((user) => venue.exchange.balances(user as Address).length > 0).length;
  expect(funded()).toBeLessThan(100);
  clock.advance(1_000);
  expect(funded()).toBe(1000);
  // One reply and a deposit for each.
  expect(client.sent).toBe(1001);
  await venue.close();
});
