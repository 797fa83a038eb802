import { expect } from "vitest";
import { fixed } from "../../../src/domain/fixed.ts";
import { addressOf, marketId } from "../../../src/domain/ids.ts";
import { unixMs } from "../../../src/domain/time.ts";
import { expectRefused, list, record, resultOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { transfers } from "../scenes.ts";

export const errorsAndLimits: readonly ConformanceCase[] = [
  {
    id: "C-7-02",
    line: "a candle failure is success false, errorCode, message; too long a range INVALID_PARAM",
    run: async (client) => {
      const from = client.nowSec();
      const target = `/market/candles?marketId=1_2&resolution=1&from=${from}&to=${from + 60_000}`;
      const { body } = await client.get(target);
      expect(Object.keys(body).toSorted()).toEqual(["errorCode", "message", "success"]);
      expect(body).toMatchObject({
        success: false,
        errorCode: "INVALID_PARAM",
        message: expect.stringMatching(/1000 data points/),
      });
    },
  },
  {
    id: "C-8-03",
    line: "depth: 1000 a side, at most 5000",
    run: async (client) => {
      const target = "/api/v1/market/depth?marketId=1_2";
      // Past the front door, since signing so many orders takes seconds.
      const { exchange } = client.venue;
      const account = addressOf(client.alice.address);
      if (account === undefined) throw new Error("an address");
      for (let at = 0; at < 1001; at += 1) {
        const command = {
          type: "place",
          marketId: marketId("1", "2"),
          side: "BUY",
          orderType: "LIMIT",
          orderMode: 0,
          price: fixed((1000 + at / 10).toFixed(1)),
          quantity: fixed("0.0001"),
        } as const;
        exchange.execute(account, command, unixMs(client.nowMs()));
      }
      const bids = async (query: string) =>
        list(record(resultOf(await client.get(`${target}${query}`)))["bids"]).length;
      expect(await bids("")).toBe(1000);
      expect(await bids("&limit=5000")).toBe(1001);
      expect((await client.get(`${target}&limit=5001`)).status).toBe(400);
    },
  },
  {
    id: "C-8-04",
    line: "completed orders and executions: 100, from 1 to 500",
    run: async (client) => {
      const { alice, bob } = client;
      for (let at = 0; at < 101; at += 1) {
        await take(client, alice.limit(1, "1800", "0.01"));
        await take(client, bob.limit(0, "1800", "0.01"));
      }
      for (const path of ["/api/v1/order", "/api/v1/order/trade"]) {
        const target = `${path}?address=${alice.address}`;
        expect(list((await client.get(target)).result)).toHaveLength(100);
        expect(list((await client.get(`${target}&limit=500`)).result)).toHaveLength(101);
        expect(list((await client.get(`${target}&limit=1`)).result)).toHaveLength(1);
        for (const limit of [0, 501]) {
          expectRefused(await client.get(`${target}&limit=${limit}`), 400);
        }
      }
    },
  },
  {
    id: "C-8-05",
    line: "transfers: 100, at most 500",
    run: async (client) => {
      const { alice, bob } = client;
      for (let at = 0; at < 101; at += 1) {
        await take(client, alice.sign("transfer", { to: bob.address, value: "0.01" }));
      }
      expect(await transfers(client, alice.address)).toHaveLength(100);
      const target = `/api/v1/wallet/transfer?address=${alice.address}`;
      expect(list((await client.get(`${target}&limit=500`)).result)).toHaveLength(101);
      expectRefused(await client.get(`${target}&limit=501`), 400);
    },
  },
  {
    id: "C-8-06",
    line: "open orders: 100, from 1",
    run: async (client) => {
      const { alice } = client;
      for (let at = 0; at < 101; at += 1) await take(client, alice.limit(0, "1700", "0.01"));
      const target = `/api/v1/order/open?address=${alice.address}`;
      expect(list((await client.get(target)).result)).toHaveLength(100);
      expect(list((await client.get(`${target}&limit=1`)).result)).toHaveLength(1);
      expectRefused(await client.get(`${target}&limit=0`), 400);
    },
  },
  {
    id: "C-9-01",
    line: "wallet, order and market paths start with /api/v1",
    run: async (client) => {
      for (const path of ["wallet/balance", "order/open", "market"]) {
        const query = `?address=${client.alice.address}`;
        expect((await client.get(`/api/v1/${path}${query}`)).status).toBe(200);
        for (const prefix of ["/", "/v1/", "/api/", "/api/v2/"]) {
          expectRefused(await client.get(`${prefix}${path}${query}`), 404);
        }
      }
    },
  },
  {
    id: "C-9-02",
    line: "/time, /market/candles and the channels carry no version",
    run: async (client) => {
      expect((await client.get("/time")).status).toBe(200);
      const candles = "/market/candles?marketId=1_2&resolution=1M";
      expect((await client.get(candles)).status).toBe(200);
      expect((await client.get("/api/v1/time")).status).toBe(404);
      expect((await client.get(`/api/v1${candles}`)).status).toBe(404);
      const stream = await client.connect();
      expect(await stream.subscribe("ticker")).toEqual({ result: "ok", id: 1 });
      expect(await stream.subscribe("v1/ticker")).toMatchObject({ error: { code: 400 } });
    },
  },
];
