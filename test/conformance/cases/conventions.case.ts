import { expect } from "vitest";
import { resultOf, take, type Json } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { isAddress } from "../fields.ts";
import { endedOrders, openOrders, trade, userTrades } from "../scenes.ts";

const reads = [
  "/time",
  "/api/v1/market",
  "/api/v1/market/ticker",
  "/api/v1/market/tokens",
  "/api/v1/market/trades?marketId=1_2",
  "/api/v1/market/depth?marketId=1_2",
];

export const conventions: readonly ConformanceCase[] = [
  {
    id: "C-1-01",
    line: "bodies are JSON, both ways",
    run: async (client) => {
      for (const target of reads) {
        const reply = await client.get(target);
        expect(reply.headers["content-type"]).toMatch(/^application\/json/);
        expect(JSON.parse(reply.text)).toEqual(reply.body);
      }
      const { body } = client.alice.limit(0, "1800", "1");
      const text = JSON.stringify(body);
      // Neither a form nor a byte order mark.
      for (const bad of [`tx=${body.tx}`, `\ufeff${text}`]) {
        expect((await client.post("/api/v1/order", bad)).status).toBe(400);
      }
      expect((await client.post("/api/v1/order", ` ${text}\n`)).status).toBe(200);
    },
  },
  {
    id: "C-1-02",
    line: "the envelope is code, errMsg, result; success is 200 and OK",
    run: async (client) => {
      for (const target of reads) {
        const reply = await client.get(target);
        expect(Object.keys(reply.body).toSorted()).toEqual(["code", "errMsg", "result"]);
        resultOf(reply);
      }
    },
  },
  {
    id: "C-1-03",
    line: "candles have an envelope of their own",
    run: async (client) => {
      const reply = await client.get("/market/candles?marketId=1_2&resolution=1M");
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ success: true, result: [] });
    },
  },
  {
    id: "C-1-04",
    line: "the success of session create, update and delete has no result",
    run: async (client) => {
      const { alice, session } = client;
      for (const type of [1, 2, 3] as const) {
        const reply = await client.send(alice.session(type, session, client.nowSec() + 1000));
        expect([reply.status, reply.body]).toEqual([200, { code: 200, errMsg: "OK" }]);
      }
    },
  },
  {
    id: "C-1-09",
    line: "amounts, prices, quantities, balances and fees are decimal text",
    run: async (client) => {
      const { alice, bob } = client;
      await trade(client);
      const names =
        /^(price|.*Price|.*Qty|quantity|fee|amount|locked|unlocked|.*24h|makerFee|takerFee)$/;
      const texts: unknown[] = [];
      const walk = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return;
        for (const [name, inner] of Object.entries(value)) {
          if (names.test(name)) texts.push(inner);
          walk(inner);
        }
      };
      for (const target of reads) walk((await client.get(target)).result);
      walk((await client.get(`/api/v1/wallet/balance?address=${bob.address}`)).result);
      for (const address of [alice.address, bob.address]) {
        walk(await openOrders(client, address));
        walk(await endedOrders(client, address));
        walk(await userTrades(client, address));
      }
      expect(texts.length).toBeGreaterThan(40);
      for (const text of texts) expect(text).toMatch(/^\d+(\.\d+)?$/);
    },
  },
  {
    id: "C-1-10",
    line: "addresses are 0x and 20 bytes in hex",
    run: async (client) => {
      await trade(client);
      const [order] = await openOrders(client, client.alice.address);
      expect(isAddress(order?.["accountAddress"])).toBe(true);
      for (const bad of ["0x12", client.alice.address.slice(2), `${client.alice.address}00`]) {
        expect((await client.get(`/api/v1/wallet/balance?address=${bad}`)).status).toBe(400);
      }
    },
  },
  {
    id: "C-1-13",
    line: "order lists are sorted by record id, newest first",
    run: async (client) => {
      const { alice } = client;
      const sent: string[] = [];
      for (const price of ["1700", "1800", "1600", "1750"]) {
        sent.unshift(await take(client, alice.limit(0, price, "1")));
      }
      const open = await openOrders(client, alice.address);
      expect(open.map(({ orderId }) => orderId)).toEqual(sent);
      // Ended in another order than made.
      for (const at of [2, 0, 3, 1]) await take(client, alice.cancel(sent[at] ?? ""));
      const ended = await endedOrders(client, alice.address);
      expect(ended.map(({ orderId }) => orderId)).toEqual(sent);
      const ids = ended.map((order: Json) => Number(order["id"]));
      expect(ids).toEqual(ids.toSorted((left, right) => right - left));
    },
  },
];
