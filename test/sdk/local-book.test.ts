import { beforeEach, describe, expect, test } from "vitest";
import type { LiveBook } from "../../src/sdk/local-book.ts";
import { limitOrder } from "../../src/sdk/order-context.ts";
import { type SdkWorld, sdkWorld } from "./world.ts";

let world: SdkWorld;
beforeEach(async () => {
  world = await sdkWorld();
});

const quote = { marketId: "1_2", quantity: "0.5" };
const bid = (price: string) => limitOrder({ ...quote, side: "BUY", price });
const call = (price: string) => limitOrder({ ...quote, side: "SELL", price });

/** The book that REST returns now, in the form of a local book. */
async function restBook() {
  const { bids, asks } = await world.settle(world.venue.depth({ marketId: "1_2" }));
  const numbers = (levels: readonly { price: string; quantity: string }[]) =>
    levels.map(({ price, quantity }) => ({ price: Number(price), quantity: Number(quantity) }));
  return { bids: numbers(bids), asks: numbers(asks) };
}

function levelsOf(book: LiveBook | undefined) {
  return { bids: book?.levels("BUY", 100), asks: book?.levels("SELL", 100) };
}

test("a local book has the orders from before and after it was opened", async () => {
  const { venue, alice, settle, clock } = world;
  const wallet = venue.wallet({ signer: alice });
  await settle(wallet.order(bid("50")));
  const book = venue.book("1_2");
  expect(book.live).toBeUndefined();
  await settle(book.opened);
  expect(book.live?.best("BUY")).toEqual({ price: 50, quantity: 0.5 });
  expect(book.live?.best("SELL")).toBeUndefined();
  expect(book.live?.mid).toBeUndefined();
  await settle(wallet.order(call("52")));
  await settle(wallet.order(bid("51")));
  await clock.runFor(100);
  expect(book.live).toMatchObject({ marketId: "1_2", mid: 51.5, spread: 1, weightedMid: 51.5 });
  expect(levelsOf(book.live)).toEqual(await restBook());
  const depth = await settle(venue.depth({ marketId: "1_2" }));
  expect(book.live?.lastId).toBe(depth.lastUpdatedId);
  book.close();
  expect(book.live).toBeUndefined();
});

test("a local book is unreadable as soon as the connection is lost, and then in sync again", async () => {
  const { venue, network, alice, settle, clock } = world;
  const wallet = venue.wallet({ signer: alice });
  await settle(wallet.order(bid("50")));
  const book = venue.book("1_2");
  await settle(book.opened);
  const kept = book.live;
  network.cutSockets();
  await clock.runFor(20);
  expect(book.live).toBeUndefined();
  expect(() => kept?.best("BUY")).toThrow("not in sync");
  await settle(wallet.order(bid("51")));
  await clock.runFor(3000);
  expect(levelsOf(book.live)).toEqual(await restBook());
  book.close();
});

test("a local book detects and repairs gaps when every tenth event is lost", async () => {
  world = await sdkWorld({ faults: [{ kind: "drop", rate: 0.1, match: "depth@*" }] });
  const { venue, alice, settle, clock } = world;
  const wallet = venue.wallet({ signer: alice });
  const book = venue.book("1_2");
  await settle(book.opened);
  // Another listener of the same messages shows which ones are missing.
  let [lastId, gaps] = [book.live?.lastId ?? 0, 0];
  venue.subscribe.depth("1_2", {
    message({ firstId, finalId }) {
      if (firstId !== lastId + 1) gaps += 1;
      lastId = finalId;
    },
  });
  for (let at = 0; at < 60; at += 1) {
    await settle(wallet.order(bid(String(20 + at))));
    await clock.runFor(5);
  }
  await settle(wallet.order(call("100")));
  await clock.runFor(5000);
  expect(gaps).toBeGreaterThan(1);
  expect(levelsOf(book.live)).toEqual(await restBook());
  book.close();
});

test("a local book requests a failed snapshot again", async () => {
  world = await sdkWorld({
    faults: [{ kind: "5xx", count: 3, match: "GET /api/v1/market/depth" }],
  });
  const book = world.venue.book("1_2");
  await world.settle(book.opened);
  expect(book.live).toBeDefined();
  book.close();
});

describe("for await", () => {
  test("gives the newest book after changes, and ends when the book is closed", async () => {
    const { venue, alice, settle } = world;
    const wallet = venue.wallet({ signer: alice });
    const book = venue.book("1_2");
    const seen: (number | undefined)[] = [];
    const read = async (): Promise<void> => {
      for await (const live of book) {
        seen.push(live.best("BUY")?.price);
        if (seen.length === 1) await wallet.order(bid("50"));
        else if (seen.length === 2) await wallet.order(bid("51"));
        else book.close();
      }
    };
    await settle(read());
    expect(seen).toEqual([undefined, 50, 51]);
  });

  test("ends when its signal aborts or the client is closed", async () => {
    const { connect, settle, clock } = world;
    const drain = async (book: AsyncIterable<LiveBook>): Promise<string> => {
      for await (const _ of book);
      return "ended";
    };
    const controller = new AbortController();
    const byClient = connect();
    const reads = [
      drain(world.venue.book("1_2", { signal: controller.signal })),
      drain(byClient.book("1_2")),
      drain(world.venue.book("1_2", { signal: AbortSignal.abort() })),
    ];
    clock.after(500, () => controller.abort());
    clock.after(600, () => void byClient.close());
    expect(await settle(Promise.all(reads))).toEqual(["ended", "ended", "ended"]);
  });

  test("throws the venue's refusal of an unknown market", async () => {
    const { venue, settle } = world;
    const book = venue.book("9_9");
    await expect(settle(book.opened)).rejects.toMatchObject({ venueCode: 404 });
    const read = async (): Promise<void> => {
      for await (const _ of book);
    };
    await expect(settle(read())).rejects.toMatchObject({ venueCode: 404 });
    expect(() => venue.book("no market")).toThrow("There is no channel");
  });
});
