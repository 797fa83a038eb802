import { expect, it } from "vitest";
import { TransportError } from "../../src/base/error.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { BookFetcher, type BookFetcherOptions } from "../../src/gateway/book-fetcher.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import type { WireOrderBook } from "../../src/spec/endpoints/depth.ts";

const market = "1_2" as MarketId;
const timing = { backoffMs: 250, backoffMaxMs: 2_000 };

/** A venue that answers after 20 ms; `fetched` decides what each book is good for. */
function world(options: Partial<BookFetcherOptions> = {}) {
  const clock = new VirtualClock();
  const sentMs: number[] = [];
  let open = 0;
  let mostOpen = 0;
  const fetcher = new BookFetcher({
    timer: clock,
    timing,
    async fetch() {
      sentMs.push(clock.elapsedMs);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise<void>((resolve) => {
        clock.after(20, resolve);
      });
      open -= 1;
      const book: WireOrderBook = { bids: [], asks: [], updatedAt: 0, lastUpdatedId: 1 };
      return book;
    },
    fetched: () => undefined,
    failed: () => true,
    ...options,
  });
  return { clock, sentMs, fetcher, mostOpen: () => mostOpen };
}

it("waits longer after each book that is older than the buffered events", async () => {
  const { clock, sentMs, fetcher, mostOpen } = world({
    fetched: (marketId) => fetcher.want(marketId),
  });
  fetcher.want(market);
  await clock.runFor(6_000);
  fetcher.close();
  expect(sentMs).toEqual([0, 270, 790, 1_810, 3_830, 5_850]);
  expect(mostOpen()).toBe(1);
});

it("waits longer after each failed request, and at least as long as the venue asks", async () => {
  let retryAfterMs: number | undefined;
  const { clock, sentMs, fetcher } = world({
    fetch: () => {
      sentMs.push(clock.elapsedMs);
      const context = { retryAfterMs };
      retryAfterMs = 5_000;
      return Promise.reject(new TransportError("unknown", "VENUE_FAILED", "no", { context }));
    },
  });
  fetcher.want(market);
  await clock.runFor(6_000);
  fetcher.close();
  expect(sentMs).toEqual([0, 250, 5_250]);
});

it("has one request at a time, whatever is wanted meanwhile", async () => {
  const { clock, sentMs, fetcher, mostOpen } = world({
    fetched: (marketId) => fetcher.want(marketId),
  });
  for (let count = 0; count < 100; count += 1) {
    fetcher.want(market);
    await clock.runFor(30);
  }
  fetcher.close();
  expect(mostOpen()).toBe(1);
  expect(sentMs.length).toBeLessThan(6);
});

it("aborts the request of a lost stream and fetches at once when the book is wanted again", async () => {
  const { clock, sentMs, fetcher } = world();
  fetcher.want(market);
  await clock.runFor(5);
  fetcher.abort(market);
  fetcher.want(market);
  await clock.runFor(1_000);
  fetcher.close();
  expect(sentMs).toEqual([0, 5]);
});
