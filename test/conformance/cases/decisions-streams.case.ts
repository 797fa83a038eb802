import { expect } from "vitest";
import { list, record, resultOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { print, trade } from "../scenes.ts";

export const decisionsOfStreams: readonly ConformanceCase[] = [
  {
    id: "C-D27-01",
    line: "several accounts and markets on one connection",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      const users = [`userEvent@${alice.address}`, `userEvent@${bob.address}`];
      await stream.subscribe(...users, "depth@1_2", "depth@3_2");
      await trade(client);
      await take(client, bob.limit(0, "50000", "0.1", { baseToken: "3" }));
      expect(await stream.pushes(users[0] ?? "")).toHaveLength(2);
      expect(await stream.pushes(users[1] ?? "")).toHaveLength(3);
      expect(await stream.pushes("depth@3_2")).toHaveLength(1);
    },
  },
  {
    id: "C-D27-02",
    line: "ticker: at most once a second, at least every 5 s",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("ticker");
      client.advance(1000);
      const first = (await stream.pushes("ticker")).length;
      for (let at = 0; at < 10; at += 1) {
        await print(client, "1800");
        client.advance(100);
      }
      expect(await stream.pushes("ticker")).toHaveLength(first + 1);
      client.advance(10_000);
      expect((await stream.pushes("ticker")).length).toBeGreaterThanOrEqual(first + 3);
    },
  },
  {
    id: "C-D27-03",
    line: "depth: one event a matching batch, its ids following those of the one before",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      await stream.subscribe("depth@1_2");
      for (const price of ["1800", "1801", "1802"]) await take(client, alice.limit(1, price, "1"));
      await take(client, bob.limit(0, "1802", "2.5"));
      const events = await stream.pushes("depth@1_2");
      expect(events).toHaveLength(4);
      let last = 0;
      for (const event of events) {
        expect(event["firstId"]).toBe(last + 1);
        last = Number(event["finalId"]);
        expect(last).toBeGreaterThanOrEqual(Number(event["firstId"]));
      }
      expect(list(events[3]?.["asks"])).toHaveLength(3);
    },
  },
  {
    id: "C-D27-04",
    line: "depthSnapshot: at most every 500 ms, its lastUpdateId a depth event's finalId",
    run: async (client) => {
      const stream = await client.connect();
      await stream.subscribe("depth@1_2", "depthSnapshot@1_2");
      for (let at = 0; at < 20; at += 1) {
        await take(client, client.alice.limit(0, String(1700 + at), "0.1"));
        client.advance(100);
      }
      const snapshots = await stream.pushes("depthSnapshot@1_2");
      expect(snapshots).toHaveLength(4);
      const finals = (await stream.pushes("depth@1_2")).map(({ finalId }) => finalId);
      for (const { lastUpdateId } of snapshots) expect(finals).toContain(lastUpdateId);
    },
  },
  {
    id: "C-D28-01",
    line: "a request that is malformed or unknown is an error 400 with its id, or null; the connection stays",
    run: async (client) => {
      const stream = await client.connect();
      const params = { channels: ["ticker"] };
      for (const [message, id] of [
        ["", null],
        ["{", null],
        ["[]", null],
        ["null", null],
        [`\ufeff{"method":"subscribe","params":{"channels":["ticker"]},"id":4}`, null],
        [{ method: "subscribe", params }, null],
        [{ method: "subscribe", params, id: "5" }, null],
        [{ method: "subscribe", params, id: 1.5 }, null],
        ['{"method":"subscribe","params":{"channels":[]},"id":1e400}', null],
        ["[".repeat(30_000), null],
        [{ method: 1, params, id: 5 }, 5],
        [{ method: "list", params, id: 5 }, 5],
        [{ method: "subscribe", params: {}, id: 6 }, 6],
        [{ method: "subscribe", params: { channels: "ticker" }, id: 7 }, 7],
        [{ method: "subscribe", params: { channels: ["candles@1_2"] }, id: 8 }, 8],
        [{ method: "subscribe", params: { channels: ["userEvent@0x12"] }, id: 9 }, 9],
        [{ method: "subscribe", params: { channels: ["depth"] }, id: 10 }, 10],
        [{ method: "subscribe", params: { channels: ["depth@"] }, id: 11 }, 11],
        [{ method: "subscribe", params: { channels: ["__proto__"] }, id: 12 }, 12],
        [{ method: "subscribe", params: { channels: [1] }, id: 13 }, 13],
      ] as const) {
        expect(await stream.call(message)).toEqual({
          error: { code: 400, message: expect.stringMatching(/\S/) },
          id,
        });
      }
      expect(await stream.subscribe("ticker")).toEqual({ result: "ok", id: 1 });
    },
  },
  {
    id: "C-D28-02",
    line: "a channel of an unknown market is 404, and nothing of the request is subscribed",
    run: async (client) => {
      const stream = await client.connect();
      for (const channel of ["trade@9_9", "depth@9_9", "depthSnapshot@9_9"]) {
        expect(await stream.subscribe("depth@1_2", channel)).toMatchObject({
          error: { code: 404 },
          id: 1,
        });
      }
      await trade(client);
      expect(await stream.pushes("depth@1_2")).toEqual([]);
    },
  },
  {
    id: "C-D29-01",
    line: "subscribed twice is ok and delivers once; unsubscribing what is not subscribed is ok",
    run: async (client) => {
      const stream = await client.connect();
      const ok = { result: "ok", id: 1 };
      expect(await stream.subscribe("depth@1_2", "depth@1_2")).toEqual(ok);
      expect(await stream.subscribe("depth@1_2")).toEqual(ok);
      const request = { method: "unsubscribe", params: { channels: ["trade@1_2"] }, id: 1 };
      expect(await stream.call(request)).toEqual(ok);
      await take(client, client.alice.limit(0, "1800", "1"));
      expect(await stream.pushes("depth@1_2")).toHaveLength(1);
    },
  },
  {
    id: "C-D36-01",
    line: "depth ids are per market, the same in REST, depth and depthSnapshot",
    run: async (client) => {
      const { alice, bob } = client;
      const stream = await client.connect();
      await stream.subscribe("depth@1_2", "depth@3_2", "depthSnapshot@1_2");
      await take(client, bob.limit(0, "50000", "0.1", { baseToken: "3" }));
      await take(client, alice.limit(0, "1700", "1"));
      await take(client, alice.limit(0, "1710", "1"));
      client.advance(500);
      const ids = (await stream.pushes("depth@1_2")).map(({ finalId }) => finalId);
      expect(ids).toEqual([1, 2]);
      expect((await stream.pushes("depth@3_2"))[0]?.["finalId"]).toBe(1);
      const rest = record(resultOf(await client.get("/api/v1/market/depth?marketId=1_2")));
      expect(rest["lastUpdatedId"]).toBe(2);
      expect((await stream.pushes("depthSnapshot@1_2"))[0]?.["lastUpdateId"]).toBe(2);
    },
  },
  {
    id: "C-D36-04",
    line: "the pong's deadline runs from the ping that was not answered",
    run: async (client) => {
      const stream = await client.connect();
      client.advance(30_000);
      stream.pong();
      await stream.pings();
      client.advance(30_000 + 59_999);
      expect(stream.isOpen()).toBe(true);
      await stream.pings();
      client.advance(1);
      await stream.ended();
    },
  },
];
