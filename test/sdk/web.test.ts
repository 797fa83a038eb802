import { afterAll, beforeAll, expect, test } from "vitest";
import { connectVenueOn, type Venue } from "../../src/sdk/connect-venue.ts";
import { newPrivateKey } from "../../src/platform/keys.ts";
import { openSigner } from "../../src/sdk/node.ts";
import { limitOrder } from "../../src/sdk/order-context.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import { webClientPorts } from "../../src/sdk/web.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";

/** Runs the client over real sockets on the APIs of pages and workers (`fetch`, `WebSocket`, `crypto`), which Node has, too. */

let paper: RunningVenue;
let venue: Venue;
beforeAll(async () => {
  paper = await startPaperVenue({ config: { faucet: { "1": "10", "2": "25000" } } });
  const streamTiming = { pingMs: 20, pongMs: 2_000, backoffMs: 20 };
  const ports = await webClientPorts();
  venue = connectVenueOn({ rest: paper.rest, ws: paper.ws, chainId: 1001, ports, streamTiming });
});
afterAll(async () => {
  await venue.close();
  await paper.close();
});

test("the web client queries, signs and keeps a book", async () => {
  const { crypto } = await webClientPorts();
  expect(crypto.name).toBe("ethers");
  const wallet = venue.wallet({ signer: crypto.signer(newPrivateKey()) });
  const book = venue.book("1_2");
  await book.opened;
  await wallet.order(limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.5" }));
  await expect.poll(() => book.live?.best("BUY")).toEqual({ price: 50, quantity: 0.5 });
  await wallet.cancelAll({});
  await expect.poll(() => book.live?.best("BUY")).toBeUndefined();
  book.close();
});

test("a quiet connection that answers our pings stays open", async () => {
  const calls: string[] = [];
  const subscription = venue.subscribe.trade("1_2", {
    message: () => void calls.push("message"),
    closed: () => void calls.push("closed"),
  });
  await subscription.opened;
  // Long enough for more than ten pings.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calls).toEqual([]);
  subscription.close();
});

test("the web client reports an unreachable venue, a refused channel and an invalid address", async () => {
  const ports = await webClientPorts();
  const rest = "http://127.0.0.1:1";
  const nowhere = connectVenueOn({ rest, chainId: 1001, ports, streamTiming: { backoffMs: 10 } });
  await expect(nowhere.time()).rejects.toMatchObject({ code: "HTTP_FAILED", outcome: "unknown" });
  const waiting = nowhere.subscribe.ticker({ message: () => undefined });
  waiting.close();
  await expect(waiting.opened).rejects.toMatchObject({ code: "SUBSCRIPTION_CLOSED" });
  await nowhere.close();
  await expect(
    venue.subscribe.depth("9_9", { message: () => undefined }).opened,
  ).rejects.toMatchObject({ venueCode: 404 });
  const closed = await new Promise<string>((resolve) => {
    ports.connector.connect("no address", {
      opened: () => undefined,
      frame: () => undefined,
      pong: () => undefined,
      closed: (_, reason) => resolve(reason),
    });
  });
  expect(closed).not.toBe("");
});

test("the web client signs the same bytes as a client on Node's ports", async () => {
  const key = `0x${"5a".repeat(32)}`;
  const signer = await openSigner(key);
  const web = (await webClientPorts()).crypto.signer(new Uint8Array(32).fill(0x5a));
  const digest = new Uint8Array(32).fill(7);
  expect(web).toMatchObject({ address: signer.address });
  expect(web.sign(digest)).toEqual(signer.sign(digest));
});
