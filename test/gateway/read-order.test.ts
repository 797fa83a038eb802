import { expect, test } from "vitest";
import { readOrder } from "../../src/domain/read-order.ts";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import { clientClock } from "../../src/gateway/venue-clock.ts";
import type { Read } from "../../src/kernel/effect.ts";
import { ReadSchedule } from "../../src/kernel/read-schedule.ts";
import type { HttpRequest } from "../../src/ports/http.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { endpoints } from "../../src/spec/endpoints.ts";

const marketId = "1_2" as MarketId;
const orderId = `0x${"cd".repeat(32)}` as OrderId;

/** One read of each kind and the path it requests. */
const reads: { readonly [Name in Read["type"]]: readonly [Read, string] } = {
  book: [{ type: "book", marketId }, endpoints.depth.path],
  order: [{ type: "order", orderId }, endpoints["order-show"].path.replace("{orderId}", orderId)],
  openOrders: [{ type: "openOrders" }, endpoints["order-open"].path],
  fills: [{ type: "fills", sinceMs: 0 }, endpoints["order-trade"].path],
  balances: [{ type: "balances" }, endpoints.balance.path],
  transfers: [{ type: "transfers", sinceMs: 0 }, endpoints.transfers.path],
  markets: [{ type: "markets" }, endpoints.market.path],
  candles: [{ type: "candles", marketId, resolution: "1M", fromMs: 0 }, endpoints.candles.path],
  trades: [{ type: "trades", marketId, limit: 1 }, endpoints.trades.path],
  venueTime: [{ type: "venueTime" }, endpoints.time.path],
};

/** The order in which the kernel emits reads that are due at the same time. */
function scheduled(names: readonly Read["type"][]): readonly Read[] {
  const schedule = new ReadSchedule({ readRetryMs: 1, readRetryMaxMs: 1 });
  for (const name of names) schedule.want(reads[name][0], 0);
  return schedule.emit(0, () => true);
}

/** The paths that a gateway requests one by one when these reads wait behind another one. */
async function requested(waiting: readonly Read[]): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const paths: string[] = [];
  const answers: (() => void)[] = [];
  const http = {
    request({ url }: HttpRequest): Promise<never> {
      paths.push(new URL(url).pathname);
      return new Promise((_, reject) => {
        answers.push(() => reject(new Error("no venue")));
      });
    },
    close: () => Promise.resolve(),
  };
  const client = new VenueClient({ http, rest: "http://venue" });
  const gateway = new Gateway({
    client,
    venueClock: clientClock(client, clock),
    owner: `0x${"ab".repeat(20)}` as Address,
    concurrency: 1,
    push: () => undefined,
  });
  gateway.read({ type: "book", marketId: "7_8" as MarketId });
  for (const read of waiting) gateway.read(read);
  while (answers.length > 0) {
    answers.shift()?.();
    await clock.runFor(1);
  }
  return paths.slice(1);
}

test("the gateway sends waiting reads in the order in which the kernel emits them", async () => {
  const backwards = readOrder.toReversed();
  const emitted = scheduled(backwards);
  expect(emitted.map(({ type }) => type)).toEqual(readOrder);
  expect(await requested(emitted.toReversed())).toEqual(emitted.map(({ type }) => reads[type][1]));
});

test("no two kinds of reads change places between the kernel and the gateway", async () => {
  for (const first of readOrder) {
    for (const second of readOrder) {
      if (first === second) continue;
      const emitted = scheduled([first, second]);
      const paths = await requested([reads[first][0], reads[second][0]]);
      expect(paths, `${first}, ${second}`).toEqual(emitted.map(({ type }) => reads[type][1]));
    }
  }
});
