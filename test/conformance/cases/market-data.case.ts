import { expect } from "vitest";
import { expectRefused, list, record, resultOf, take, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { print } from "../scenes.ts";

/** Codes of §4.3 and the seconds of each. */
const resolutions: readonly (readonly [code: string, sec: number])[] = [
  ["1", 60],
  ["5", 300],
  ["15", 900],
  ["30", 1800],
  ["60", 3600],
  ["120", 7200],
  ["240", 14_400],
  ["480", 28_800],
  ["720", 43_200],
  ["1D", 86_400],
  ["3D", 259_200],
  ["1W", 604_800],
  ["1M", 2_592_000],
];

const candles = (client: VenueClient, query: string) =>
  client.get(`/market/candles?marketId=1_2&${query}`);

export const marketData: readonly ConformanceCase[] = [
  {
    id: "C-4.3-01",
    line: "GET /time: the venue's time in ms",
    run: async (client) => {
      expect(resultOf(await client.get("/time"))).toEqual({ serverTime: client.nowMs() });
    },
  },
  {
    id: "C-4.3-03",
    line: "GET market/ticker: of one market, or of all",
    run: async (client) => {
      const path = "/api/v1/market/ticker";
      const ids = async (query: string) =>
        list(resultOf(await client.get(`${path}${query}`))).map(({ marketId }) => marketId);
      expect(await ids("")).toEqual(["1_2", "3_2"]);
      expect(await ids("?marketId=3_2")).toEqual(["3_2"]);
    },
  },
  {
    id: "C-4.3-05",
    line: "GET market/trades: marketId required, limit 20 unless given and at most 1000, newest first",
    run: async (client) => {
      const path = "/api/v1/market/trades";
      for (let at = 0; at < 21; at += 1) await print(client, String(1800 + at));
      const prices = async (query: string) =>
        list(resultOf(await client.get(`${path}?marketId=1_2${query}`))).map(({ price }) => price);
      const all = await prices("&limit=1000");
      expect(all).toEqual(Array.from({ length: 21 }, (_, at) => String(1820 - at)));
      expect(await prices("")).toEqual(all.slice(0, 20));
      expectRefused(await client.get(path), 400);
      for (const limit of ["1001", "0", "-1", "x"]) {
        expectRefused(await client.get(`${path}?marketId=1_2&limit=${limit}`), 400);
      }
    },
  },
  {
    id: "C-4.3-06",
    line: "GET market/depth: marketId required, limit a side 1000 unless given and at most 5000",
    run: async (client) => {
      const path = "/api/v1/market/depth";
      for (let at = 0; at < 5; at += 1) {
        await take(client, client.alice.limit(0, String(1700 + at), "0.01"));
        await take(client, client.alice.limit(1, String(1900 + at), "0.01"));
      }
      const sizes = async (query: string) => {
        const depth = record(resultOf(await client.get(`${path}?marketId=1_2${query}`)));
        return [list(depth["bids"]).length, list(depth["asks"]).length];
      };
      expect(await sizes("")).toEqual([5, 5]);
      expect(await sizes("&limit=2")).toEqual([2, 2]);
      expect(await sizes("&limit=5000")).toEqual([5, 5]);
      expectRefused(await client.get(path), 400);
      for (const limit of ["5001", "0", "x"]) {
        expectRefused(await client.get(`${path}?marketId=1_2&limit=${limit}`), 400);
      }
    },
  },
  {
    id: "C-4.3-07",
    line: "GET /market/candles: marketId and resolution required, from and to in seconds",
    run: async (client) => {
      const sec = client.nowSec();
      await print(client, "1800");
      client.advance(60_000);
      await print(client, "1810");
      client.advance(60_000);
      const opens = async (query: string) =>
        list((await candles(client, `resolution=1&${query}`)).result).map(
          ({ timestamp }) => timestamp,
        );
      expect(await opens(`from=${sec}`)).toEqual([sec, sec + 60]);
      expect(await opens(`from=${sec + 1}`)).toEqual([sec + 60]);
      expect(await opens(`from=${sec}&to=${sec + 59}`)).toEqual([sec]);
      expect((await client.get("/market/candles?marketId=1_2")).body["success"]).toBe(false);
      expect((await client.get("/market/candles?resolution=1M")).body["success"]).toBe(false);
    },
  },
  {
    id: "C-4.3-08",
    line: "the thirteen resolutions",
    run: async (client) => {
      await print(client, "1800");
      await print(client, "1790");
      await print(client, "1805");
      for (const [resolution, sec] of resolutions) {
        const from = client.nowSec() - 100 * sec;
        const reply = await candles(client, `resolution=${resolution}&from=${from}`);
        const [candle, ...more] = list(reply.result);
        expect(more).toEqual([]);
        expect(candle).toMatchObject({
          marketId: "1_2",
          resolution,
          open: 1800,
          high: 1805,
          low: 1790,
          close: 1805,
          volume: 3,
          quoteVolume: 5395,
          tradeCount: 3,
        });
        const open = Number(candle?.["timestamp"]);
        expect(open <= client.nowSec() && open + sec > client.nowSec()).toBe(true);
      }
      for (const resolution of ["2", "1d", "D", "60m", "01"]) {
        const reply = await candles(client, `resolution=${resolution}&from=${client.nowSec()}`);
        expect(reply.body["success"]).toBe(false);
      }
    },
  },
  {
    id: "C-4.3-09",
    line: "at most 1000 candles a request",
    run: async (client) => {
      for (const [resolution, sec] of resolutions) {
        // On the grid of every resolution's alignment, or not: 1000 opens fit, 1001 never do.
        const to = client.nowSec();
        const query = (intervals: number) =>
          `resolution=${resolution}&from=${to - intervals * sec + 1}&to=${to}`;
        if (to > 1000 * sec) {
          expect((await candles(client, query(1000))).status).toBe(200);
          expect((await candles(client, query(1001))).body).toMatchObject({
            success: false,
            errorCode: "INVALID_PARAM",
          });
        }
      }
    },
  },
];
