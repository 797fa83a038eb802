import { expect } from "vitest";
import { expectRefused, list, resultOf, take, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { endedOrders, openOrders, trade, userTrades } from "../scenes.ts";

const DAY = 86_400_000;
const paths = ["/api/v1/order/open", "/api/v1/order", "/api/v1/order/trade"];

/** Status of a query of each of the three lists. */
async function statuses(client: VenueClient, query: string): Promise<number[]> {
  const found: number[] = [];
  for (const path of paths) {
    const reply = await client.get(`${path}?address=${client.alice.address}&${query}`);
    if (reply.status !== 200) expectRefused(reply, reply.status);
    found.push(reply.status);
  }
  return found;
}

/** What holds for the query of all three lists: `address` required, `marketId`, window, `limit`. */
async function expectListQuery(
  client: VenueClient,
  path: string,
  marketOf: (marketId: string) => Promise<number>,
): Promise<void> {
  const { address } = client.alice;
  expectRefused(await client.get(path), 400);
  for (const query of ["limit=0", "limit=501", "limit=-1", "limit=x", "limit=1.5", "from=x"]) {
    expectRefused(await client.get(`${path}?address=${address}&${query}`), 400);
  }
  for (const query of ["limit=1", "limit=500", `from=${client.nowMs() - DAY}`]) {
    resultOf(await client.get(`${path}?address=${address}&${query}`));
  }
  expect([await marketOf("1_2"), await marketOf("3_2")]).toEqual([1, 0]);
}

const count = (client: VenueClient, path: string) => async (marketId: string) => {
  const target = `${path}?address=${client.alice.address}&marketId=${marketId}`;
  return list(resultOf(await client.get(target))).length;
};

export const orderQueries: readonly ConformanceCase[] = [
  {
    id: "C-4.2-01",
    line: "GET order/open: address, marketId, from, to, limit from 1, 100 unless given; NEW and PARTIALLY_FILLED only",
    run: async (client) => {
      const { alice } = client;
      await trade(client);
      await expectListQuery(client, "/api/v1/order/open", count(client, "/api/v1/order/open"));
      const gone = await take(client, alice.limit(0, "1700", "1"));
      await take(client, alice.cancel(gone));
      await take(client, alice.limit(0, "1.23456", "1"));
      await take(client, alice.limit(0, "1700", "1"));
      const statuses = (await openOrders(client, alice.address)).map(({ status }) => status);
      expect(statuses).toEqual(["NEW", "PARTIALLY_FILLED"]);
    },
  },
  {
    id: "C-4.2-02",
    line: "GET order: the same, limit 1 to 500; FILLED, CANCELED and REJECTED",
    run: async (client) => {
      const { alice, bob } = client;
      const filled = await take(client, alice.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1800", "1"));
      await expectListQuery(client, "/api/v1/order", count(client, "/api/v1/order"));
      const canceled = await take(client, alice.limit(0, "1700", "1"));
      await take(client, alice.cancel(canceled));
      const rejected = await take(client, alice.limit(0, "1.23456", "1"));
      await take(client, alice.limit(0, "1700", "1"));
      const ended = await endedOrders(client, alice.address);
      expect(ended.map(({ orderId, status }) => [orderId, status])).toEqual([
        [rejected, "REJECTED"],
        [canceled, "CANCELED"],
        [filled, "FILLED"],
      ]);
    },
  },
  {
    id: "C-4.2-04",
    line: "GET order/trade: the same, limit 1 to 500; the address's executions",
    run: async (client) => {
      const { alice, bob } = client;
      const { sell, buy } = await trade(client);
      await expectListQuery(client, "/api/v1/order/trade", count(client, "/api/v1/order/trade"));
      expect(await userTrades(client, alice.address)).toMatchObject([
        { orderId: sell, side: "SELL", isMaker: true, origQty: "2", quantity: "1", fee: "0.36" },
      ]);
      expect(await userTrades(client, bob.address)).toMatchObject([
        { orderId: buy, side: "BUY", isMaker: false, origPrice: "1800", fee: "0.0005" },
      ]);
    },
  },
  {
    id: "C-4.2-05",
    line: "from and to are at most 90 days apart",
    run: async (client) => {
      const now = client.nowMs();
      expect(await statuses(client, `from=${now - 90 * DAY}&to=${now}`)).toEqual([200, 200, 200]);
      expect(await statuses(client, `from=${now - 90 * DAY - 1}&to=${now}`)).toEqual([
        400, 400, 400,
      ]);
    },
  },
  {
    id: "C-4.2-06",
    line: "both absent or 0: the last 30 days",
    run: async (client) => {
      const { alice } = client;
      const old = await take(client, alice.limit(0, "1700", "1"));
      client.advance(20 * DAY);
      const young = await take(client, alice.limit(0, "1600", "1"));
      const ids = async (query: string) => {
        const target = `/api/v1/order/open?address=${alice.address}${query}`;
        return list(resultOf(await client.get(target))).map(({ orderId }) => orderId);
      };
      expect(await ids("")).toEqual([young, old]);
      client.advance(11 * DAY);
      expect(await ids("")).toEqual([young]);
      expect(await ids("&from=0&to=0")).toEqual([young]);
      const now = client.nowMs();
      expect(await ids(`&from=${now - 40 * DAY}&to=${now}`)).toEqual([young, old]);
    },
  },
  {
    id: "C-4.2-07",
    line: "data reaches back 730 days at most",
    run: async (client) => {
      const now = client.nowMs();
      const window = (days: number, more = 0) =>
        `from=${now - days * DAY - more}&to=${now - (days - 30) * DAY}`;
      expect(await statuses(client, window(730))).toEqual([200, 200, 200]);
      expect(await statuses(client, window(730, 1))).toEqual([400, 400, 400]);
    },
  },
  {
    id: "C-4.2-08",
    line: "no time in the future",
    run: async (client) => {
      const now = client.nowMs();
      expect(await statuses(client, `from=${now - DAY}&to=${now + 60_000}`)).toEqual([
        400, 400, 400,
      ]);
      expect(await statuses(client, `from=${now + 60_000}`)).toEqual([400, 400, 400]);
    },
  },
];
