import { expect } from "vitest";
import { list, pairs, record, resultOf, take, type Json } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { isDecimal, isHash, isInteger, isMs } from "../fields.ts";
import { print, trade } from "../scenes.ts";

const SECOND = 1000;

export const streams: readonly ConformanceCase[] = [
  {
    id: "C-6.1-01",
    line: "messages are JSON, times in ms",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("depth@1_2", "trade@1_2");
      await trade(client);
      for (const depth of await stream.pushes("depth@1_2")) expect(isMs(depth["time"])).toBe(true);
      const [print] = await stream.pushes("trade@1_2");
      expect(isMs(print?.["createdAt"])).toBe(true);
    },
  },
  {
    id: "C-6.1-03",
    line: "the venue pings every 30 seconds",
    run: async (client) => {
      const stream = await client.connect();
      for (let at = 1; at <= 3; at += 1) {
        client.advance(29_999);
        expect(await stream.pings()).toBe(at - 1);
        client.advance(1);
        expect(await stream.pings()).toBe(at);
        stream.pong();
        await stream.pings();
      }
    },
  },
  {
    id: "C-6.1-04",
    line: "without a pong within 60 seconds the connection is cut; with it, it stays",
    run: async (client) => {
      const [good, bad] = [await client.connect(), await client.connect()];
      for (let at = 0; at < 3; at += 1) {
        expect(bad.isOpen()).toBe(true);
        client.advance(30 * SECOND);
        good.pong();
        await good.pings();
      }
      await bad.ended();
      expect(good.isOpen()).toBe(true);
    },
  },
  {
    id: "C-6.1-05",
    line: "a connection lives 24 hours at most",
    run: async (client) => {
      const stream = await client.connect();
      const endMs = client.nowMs() + 24 * 60 * 60 * SECOND;
      // One pong a second before it is too late; the fewer of them, the faster this case.
      while (client.nowMs() + 59 * SECOND < endMs) {
        client.advance(59 * SECOND);
        stream.pong();
        await stream.pings();
      }
      client.advance(endMs - 1 - client.nowMs());
      await stream.pings();
      expect(stream.isOpen()).toBe(true);
      client.advance(1);
      await stream.ended();
    },
  },
  {
    id: "C-6.2-01",
    line: "a request has method, params.channels and id; the reply result ok and the id",
    run: async (client) => {
      const stream = await client.connect();
      const channels = ["ticker"];
      for (const [method, id] of [
        ["subscribe", 7],
        ["unsubscribe", 8],
      ] as const) {
        expect(await stream.call({ method, params: { channels }, id })).toEqual({
          result: "ok",
          id,
        });
      }
    },
  },
  {
    id: "C-6.2-02",
    line: "a message has method subscription, params.channel and params.result",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("trade@1_2");
      await trade(client);
      const [, message] = await stream.frames();
      expect(message).toEqual({
        method: "subscription",
        params: { channel: "trade@1_2", result: expect.any(Object) },
      });
    },
  },
  {
    id: "C-6.3-01",
    line: "trade@: each trade of the market, as REST tells it",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("trade@1_2", "trade@3_2");
      await trade(client);
      const rest = list(resultOf(await client.get("/api/v1/market/trades?marketId=1_2")));
      expect(await stream.pushes("trade@1_2")).toEqual(rest);
      expect(await stream.pushes("trade@3_2")).toEqual([]);
      expect(isHash(rest[0]?.["buyOrderId"])).toBe(true);
    },
  },
  {
    id: "C-6.3-02",
    line: "depth@: each change of the book, at once",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("depth@1_2");
      const id = await take(client, client.alice.limit(0, "1800", "1"));
      expect(await stream.pushes("depth@1_2")).toMatchObject([{ bids: [["1800", "1"]], asks: [] }]);
      await take(client, client.alice.cancel(id));
      expect((await stream.pushes("depth@1_2"))[1]).toMatchObject({ bids: [["1800", "0"]] });
    },
  },
  {
    id: "C-6.3-03",
    line: "depthSnapshot@: the best 100 levels a side, every 500 ms or when the book changed",
    run: async (client) => {
      const { alice } = client;
      for (let at = 0; at < 105; at += 1) {
        await take(client, alice.limit(0, String(1700 + at), "0.01"));
      }
      const stream = await client.connect();
      await stream.subscribe("depthSnapshot@1_2");
      client.advance(500);
      const [first] = await stream.pushes("depthSnapshot@1_2");
      const bids = pairs(first?.["bids"]);
      expect(bids).toHaveLength(100);
      expect(bids[0]).toEqual(["1804", "0.01"]);
      await take(client, alice.limit(0, "1900", "1"));
      client.advance(500);
      const [, second] = await stream.pushes("depthSnapshot@1_2");
      expect(list(second?.["bids"])[0]).toEqual(["1900", "1"]);
    },
  },
  {
    id: "C-6.3-04",
    line: "ticker: all markets in one array, no form for one market",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("ticker");
      client.advance(5 * SECOND);
      const [tickers] = await stream.pushes("ticker");
      expect(list(tickers).map(({ marketId }) => marketId)).toEqual(["1_2", "3_2"]);
      expect(await stream.subscribe("ticker@1_2")).toMatchObject({ error: { code: 400 } });
    },
  },
  {
    id: "C-6.3-06",
    line: "a depth event has marketId, bids and asks of [price, quantity], firstId, finalId, time",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("depth@1_2");
      await trade(client);
      await take(client, client.bob.limit(0, "1700", "1"));
      const events = await stream.pushes("depth@1_2");
      expect(events).toHaveLength(3);
      for (const event of events) {
        const fields = ["asks", "bids", "finalId", "firstId", "marketId", "time"];
        expect(Object.keys(event).toSorted()).toEqual(fields);
        expect(event["marketId"]).toBe("1_2");
        expect(isInteger(event["firstId"]) && isInteger(event["finalId"])).toBe(true);
        for (const pair of [...pairs(event["bids"]), ...pairs(event["asks"])]) {
          expect([pair.length, pair.every(isDecimal)]).toEqual([2, true]);
        }
      }
    },
  },
  {
    id: "C-6.3-07",
    line: "a quantity is the level's own, no difference; 0 takes the level away",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      await stream.subscribe("depth@1_2");
      await take(client, alice.limit(0, "1800", "1"));
      const id = await take(client, bob.limit(0, "1800", "0.5"));
      await take(client, bob.cancel(id));
      await take(client, bob.limit(1, "1800", "1"));
      const events = await stream.pushes("depth@1_2");
      expect(events.map(({ bids }) => list(bids)[0])).toEqual([
        ["1800", "1"],
        ["1800", "1.5"],
        ["1800", "1"],
        ["1800", "0"],
      ]);
    },
  },
  {
    id: "C-6.3-08",
    line: "a depth snapshot has marketId, lastUpdateId, bids, asks, time",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("depthSnapshot@1_2");
      await trade(client);
      client.advance(500);
      const [snapshot] = await stream.pushes("depthSnapshot@1_2");
      expect(snapshot).toEqual({
        marketId: "1_2",
        lastUpdateId: 2,
        bids: [],
        asks: [["1800", "1"]],
        time: client.nowMs() - 500,
      });
    },
  },
  {
    id: "C-6.3-09",
    line: "a local book, step 1: subscribe first",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      for (const price of ["1700", "1690"]) await take(client, alice.limit(0, price, "1"));
      // 1. Subscribe and buffer, while the market goes on.
      await stream.subscribe("depth@1_2");
      await take(client, alice.limit(0, "1695", "1"));
      await take(client, alice.limit(1, "1900", "2"));
      // 2. The snapshot.
      const snapshot = record(resultOf(await client.get("/api/v1/market/depth?marketId=1_2")));
      let last = Number(snapshot["lastUpdatedId"]);
      const sides = { bids: levelsOf(snapshot["bids"]), asks: levelsOf(snapshot["asks"]) };
      await take(client, bob.limit(0, "1900", "0.5"));
      await take(client, bob.limit(1, "1695", "2.5"));
      const events = await stream.pushes("depth@1_2");
      expect(events).toHaveLength(4);
      // 3. Drop what the snapshot has; 4. the first joins it; 5. each follows the one before.
      const fresh = events.filter((event) => Number(event["finalId"]) > last);
      expect(fresh).toHaveLength(2);
      for (const event of fresh) {
        expect(Number(event["firstId"])).toBe(last + 1);
        last = Number(event["finalId"]);
        // 6. Apply.
        for (const side of ["bids", "asks"] as const) {
          for (const [price = "", quantity = ""] of pairs(event[side])) {
            if (Number(quantity) === 0) sides[side].delete(price);
            else sides[side].set(price, quantity);
          }
        }
      }
      const now = record(resultOf(await client.get("/api/v1/market/depth?marketId=1_2")));
      expect(now["lastUpdatedId"]).toBe(last);
      expect(sorted(sides.bids)).toEqual(sorted(levelsOf(now["bids"])));
      expect(sorted(sides.asks)).toEqual(sorted(levelsOf(now["asks"])));
      expect(sorted(sides.bids)).not.toEqual([]);
    },
  },
  {
    id: "C-6.5-01",
    line: "subscribe takes several channels, public and users' ones mixed",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      const channels = [
        "trade@1_2",
        `userEvent@${alice.address}`,
        "depth@1_2",
        `userEvent@${bob.address}`,
      ];
      expect(await stream.subscribe(...channels)).toEqual({ result: "ok", id: 1 });
      await trade(client);
      for (const channel of channels) expect(await stream.pushes(channel)).not.toEqual([]);
    },
  },
  {
    id: "C-6.5-02",
    line: "unsubscribe takes the same shape, is answered alike and ends what it names",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("trade@1_2", "depth@1_2", "trade@3_2");
      const request = { method: "unsubscribe", params: { channels: ["trade@1_2", "trade@3_2"] } };
      expect(await stream.call({ ...request, id: 5 })).toEqual({ result: "ok", id: 5 });
      await print(client, "1800");
      expect(await stream.pushes("trade@1_2")).toEqual([]);
      expect(await stream.pushes("depth@1_2")).toHaveLength(2);
    },
  },
];

function levelsOf(levels: unknown): Map<string, string> {
  return new Map(
    list(levels).map(({ price, quantity }: Json) => [String(price), String(quantity)]),
  );
}

function sorted(levels: ReadonlyMap<string, string>): [string, string][] {
  return [...levels].toSorted(([left], [right]) => Number(left) - Number(right));
}
