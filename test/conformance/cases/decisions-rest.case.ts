import { expect } from "vitest";
import {
  expectRefused,
  expectTaken,
  list,
  money,
  orderOf,
  record,
  resultOf,
  take,
} from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import {
  applied,
  openOrders,
  print,
  sessions,
  transfers,
  userTrades,
  watchUser,
} from "../scenes.ts";

const UNKNOWN = `0x${"11".repeat(32)}`;
const DAY = 86_400_000;

export const decisionsOfRest: readonly ConformanceCase[] = [
  {
    id: "C-D11-01",
    line: "400: malformed or out of range, with the field's name in the sentence",
    run: async (client) => {
      for (const [target, field] of [
        ["/api/v1/market/depth", "marketId"],
        ["/api/v1/market/depth?marketId=1_2&limit=0", "limit"],
        ["/api/v1/wallet/balance?address=0x", "address"],
        [`/api/v1/order/open?address=${client.alice.address}&from=1e5`, "from"],
      ] as const) {
        const reply = await client.get(target);
        expectRefused(reply, 400);
        expect(reply.body["errMsg"]).toContain(field);
      }
    },
  },
  {
    id: "C-D11-02",
    line: "404: no such order, market, path",
    run: async (client) => {
      for (const target of [
        `/api/v1/order/${UNKNOWN}`,
        "/api/v1/market/depth?marketId=9_9",
        "/api/v1/market/trades?marketId=9_9",
        "/api/v1/market/ticker?marketId=9_9",
        `/api/v1/order/open?address=${client.alice.address}&marketId=9_9`,
        "/",
        "/api/v1",
        "/api/v1/order/a/b",
      ]) {
        expectRefused(await client.get(target), 404);
      }
    },
  },
  {
    id: "C-D11-03",
    line: "405: a path that is there, by another method",
    run: async (client) => {
      expectRefused(await client.post("/time", {}), 405);
      expectRefused(await client.get("/api/v1/order/cancel"), 405);
      expectRefused(await client.request("DELETE", `/api/v1/order/${UNKNOWN}`), 405);
      expectRefused(await client.request("PUT", "/api/v1/order", "{}"), 405);
    },
  },
  {
    id: "C-D11-04",
    line: "413: a body over 64 KiB",
    run: async (client) => {
      const tx = "0".repeat(65_536);
      expectRefused(await client.post("/api/v1/order", { tx }), 413);
      const fits = `{"tx":"0x${"0".repeat(65_536 - 11)}"}`;
      expect(fits).toHaveLength(65_536);
      expectRefused(await client.post("/api/v1/order", fits), 400);
    },
  },
  {
    id: "C-D11-05",
    line: "429: too many requests, with Retry-After in seconds",
    venue: { rateLimit: { perSecond: 2 } },
    run: async (client) => {
      const { alice } = client;
      const send = () => client.send(alice.limit(0, "1700", "0.01"));
      for (let at = 0; at < 2; at += 1) expectTaken(await send());
      const reply = await send();
      expectRefused(reply, 429);
      expect(reply.headers["retry-after"]).toBe("1");
      client.advance(1000);
      expectTaken(await send());
    },
  },
  {
    id: "C-D12-01",
    line: "an order its owner cannot pay for: 200 and its hash, then REJECTED",
    run: async (client) => {
      const { alice } = client;
      const events = await watchUser(client, alice.address);
      const buy = await take(client, alice.limit(0, "1800", "139"));
      const sell = await take(client, alice.limit(1, "1800", "100.1"));
      for (const id of [buy, sell]) expect((await orderOf(client, id))["status"]).toBe("REJECTED");
      expect((await events()).map(({ eventType }) => eventType)).toEqual(["REJECTED", "REJECTED"]);
      expect(await money(client, alice, "2")).toEqual(["250000", "0"]);
    },
  },
  {
    id: "C-D12-02",
    line: "an order of a market that is not listed: the same",
    run: async (client) => {
      const context = { baseToken: "1", quoteToken: "3", price: "0.05", quantity: "1" };
      const id = await take(client, client.alice.order(context));
      expect((await orderOf(client, id))["status"]).toBe("REJECTED");
    },
  },
  {
    id: "C-D12-03",
    line: "a price or quantity that is not plain decimal text is 400",
    run: async (client) => {
      const { alice } = client;
      for (const text of [
        "",
        " 1",
        "1 ",
        "+1",
        "-1",
        "-0",
        "1.",
        ".1",
        "1e3",
        "1e400",
        "0x10",
        "1,5",
        "1_000",
        "NaN",
        "Infinity",
        "١",
        "１",
        "1.2.3",
        "1".repeat(41),
      ]) {
        expectRefused(await client.send(alice.limit(0, text, "1")), 400);
        expectRefused(await client.send(alice.limit(0, "1800", text)), 400);
      }
      expectTaken(await client.send(alice.limit(0, "001800.50", `1.${"0".repeat(38)}`)));
    },
  },
  {
    id: "C-D12-04",
    line: "a quantity of 0 is 400",
    run: async (client) => {
      for (const zero of ["0", "0.0", "000", "0.000000000000000000"]) {
        expectRefused(await client.send(client.alice.limit(0, "1800", zero)), 400);
      }
    },
  },
  {
    id: "C-D12-05",
    line: "at most 18 decimals after trailing zeros; ledgers are exact",
    run: async (client) => {
      const { alice } = client;
      const tiny = "0.000000000000000001";
      expectRefused(await client.send(alice.limit(0, "1800", `1.${"0".repeat(18)}1`)), 400);
      const quantity = `1${tiny.slice(1)}`;
      await take(client, alice.limit(1, "1800", `${quantity}00`));
      expect(await money(client, alice, "1")).toEqual(["98.999999999999999999", quantity]);
      await take(client, alice.limit(0, "0.00012345", quantity));
      expect((await money(client, alice, "2"))[1]).toBe("0.00012345000000000000012345");
    },
  },
  {
    id: "C-D12-06",
    line: "a pair that the venue does not have is 404",
    run: async (client) => {
      for (const context of [
        { baseToken: "9" },
        { quoteToken: "9" },
        { baseToken: "2", quoteToken: "1" },
      ]) {
        expectRefused(await client.send(client.alice.order(context)), 404);
      }
    },
  },
  {
    id: "C-D12-08",
    line: "a transfer of more than is unlocked or of 0 is 400, of an unknown token 404",
    run: async (client) => {
      const { alice, bob } = client;
      const to = bob.address;
      await take(client, alice.limit(0, "1700", "100"));
      expect(await money(client, alice, "2")).toEqual(["80000", "170000"]);
      for (const [token, value, status] of [
        ["2", "80000.000000000000000001", 400],
        ["2", "0", 400],
        ["2", "-1", 400],
        ["9", "1", 404],
      ] as const) {
        const signed = alice.sign("tokenTransfer", { to, token, value });
        expectRefused(await client.send(signed), status);
      }
      await take(client, alice.sign("tokenTransfer", { to, token: "2", value: "80000" }));
      expect(await money(client, alice, "2")).toEqual(["0", "170000"]);
    },
  },
  {
    id: "C-D12-09",
    line: "so is a withdrawal",
    run: async (client) => {
      const { alice } = client;
      const to = alice.address;
      for (const [token, value, status] of [
        ["2", "250000.1", 400],
        ["2", "0", 400],
        ["9", "1", 404],
      ] as const) {
        const signed = alice.sign("withdraw", { to, token, value });
        expectRefused(await client.send(signed), status);
      }
      expect(await money(client, alice, "2")).toEqual(["250000", "0"]);
    },
  },
  {
    id: "C-D12-10",
    line: "a limit price of 0 and quote mode on a limit order are REJECTED",
    run: async (client) => {
      const { alice } = client;
      for (const context of [{ price: "0" }, { orderMode: 1 }]) {
        const id = await take(client, alice.order(context));
        expect((await orderOf(client, id))["status"]).toBe("REJECTED");
      }
    },
  },
  {
    id: "C-D12-11",
    line: "tpsl on a market order is 400",
    run: async (client) => {
      const tpsl = { tpLimit: "1900", slTrigger: "1700" };
      const context = { price: "0", orderType: 1, tpsl };
      expectRefused(await client.send(client.alice.order(context)), 400);
    },
  },
  {
    id: "C-D13-01",
    line: "cancel or modify of an order that is not there is 404",
    run: async (client) => {
      expectRefused(await client.send(client.alice.cancel(UNKNOWN)), 404);
      expectRefused(await client.send(client.alice.modify(UNKNOWN, { newPrice: "1" })), 404);
    },
  },
  {
    id: "C-D13-02",
    line: "of one that is somebody else's 401",
    run: async (client) => {
      const { alice, bob } = client;
      const id = await take(client, alice.limit(0, "1700", "1"));
      expectRefused(await client.send(bob.cancel(id)), 401);
      expectRefused(await client.send(bob.modify(id, { newPrice: "1" })), 401);
      expect((await orderOf(client, id))["status"]).toBe("NEW");
    },
  },
  {
    id: "C-D13-03",
    line: "of one that is over 400",
    run: async (client) => {
      const { alice, bob } = client;
      const filled = await take(client, alice.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1800", "1"));
      const canceled = await take(client, alice.limit(0, "1700", "1"));
      await take(client, alice.cancel(canceled));
      const rejected = await take(client, alice.limit(0, "1.23456", "1"));
      for (const id of [filled, canceled, rejected]) {
        expectRefused(await client.send(alice.cancel(id)), 400);
        expectRefused(await client.send(alice.modify(id, { newPrice: "1700" })), 400);
      }
    },
  },
  {
    id: "C-D14-01",
    line: "from and to are of createdAt, both ends included",
    run: async (client) => {
      const { alice } = client;
      const at = client.nowMs();
      const id = await take(client, alice.limit(0, "1700", "1"));
      client.advance(5000);
      const found = async (from: number, to: number) => {
        const target = `/api/v1/order/open?address=${alice.address}&from=${from}&to=${to}`;
        return list(resultOf(await client.get(target))).map(({ orderId }) => orderId);
      };
      expect(await found(at, at)).toEqual([id]);
      expect(await found(at - 10, at - 1)).toEqual([]);
      expect(await found(at + 1, at + 10)).toEqual([]);
      // The fill does not move it.
      await take(client, client.bob.limit(1, "1700", "0.5"));
      expect(await found(at, at)).toEqual([id]);
    },
  },
  {
    id: "C-D14-03",
    line: "from above to is 400, of transfers too",
    run: async (client) => {
      const now = client.nowMs();
      for (const path of ["order/open", "order", "order/trade", "wallet/transfer"]) {
        const target = `/api/v1/${path}?address=${client.alice.address}`;
        expectRefused(await client.get(`${target}&from=${now - 1}&to=${now - 2}`), 400);
      }
    },
  },
  {
    id: "C-D14-04",
    line: "2 s ahead of the venue's clock is not yet the future",
    run: async (client) => {
      const target = `/api/v1/order?address=${client.alice.address}&from=${client.nowMs() - 1}`;
      resultOf(await client.get(`${target}&to=${client.nowMs() + 2000}`));
      expectRefused(await client.get(`${target}&to=${client.nowMs() + 2001}`), 400);
    },
  },
  {
    id: "C-D14-05",
    line: "executions are newest first, too",
    run: async (client) => {
      await print(client, "1800");
      await print(client, "1810");
      await print(client, "1790");
      const prices = (await userTrades(client, client.bob.address)).map(({ price }) => price);
      expect(prices).toEqual(["1790", "1810", "1800"]);
    },
  },
  {
    id: "C-D15-01",
    line: "open orders older than 30 days are found in a window of their own",
    run: async (client) => {
      const { alice } = client;
      const id = await take(client, alice.limit(0, "1700", "1"));
      client.advance(100 * DAY);
      expect(await openOrders(client, alice.address)).toEqual([]);
      const now = client.nowMs();
      const window = `from=${now - 110 * DAY}&to=${now - 90 * DAY}`;
      const target = `/api/v1/order/open?address=${alice.address}&${window}`;
      expect(list(resultOf(await client.get(target))).map(({ orderId }) => orderId)).toEqual([id]);
    },
  },
  {
    id: "C-D15-02",
    line: "to without from leaves from at 0, and is 400 in the three order lists",
    run: async (client) => {
      for (const path of ["order/open", "order", "order/trade"]) {
        const target = `/api/v1/${path}?address=${client.alice.address}&to=${client.nowMs()}`;
        expectRefused(await client.get(target), 400);
      }
    },
  },
  {
    id: "C-D15-03",
    line: "the spans do not hold for transfers",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.sign("transfer", { to: bob.address, value: "1" }));
      client.advance(100 * DAY);
      expect(await transfers(client, alice.address)).toHaveLength(1);
      const target = `/api/v1/wallet/transfer?address=${alice.address}&to=${client.nowMs()}`;
      expect(list(resultOf(await client.get(target)))).toHaveLength(1);
    },
  },
  {
    id: "C-D16-01",
    line: "an order id of another form is 400, an unknown one 404",
    run: async (client) => {
      const short = UNKNOWN.slice(0, -1);
      const bad = ["0x12", "5", short, `${UNKNOWN}00`, UNKNOWN.slice(2), `0x${"zz".repeat(32)}`];
      for (const id of bad) {
        expectRefused(await client.get(`/api/v1/order/${id}`), 400);
        expectRefused(await client.send(client.alice.cancel(id)), 400);
      }
      expectRefused(await client.get(`/api/v1/order/${UNKNOWN}`), 404);
    },
  },
  {
    id: "C-D26-01",
    line: "at its expiry a session is no longer applied; its resting orders stay",
    run: async (client) => {
      const { alice, session } = client;
      await applied(client);
      const order = session.order({ price: "1700" }, { owner: alice.address });
      expectTaken(await client.send(order));
      client.advance(86_400_000);
      expect(await sessions(client, alice.address)).toMatchObject([{ applied: false }]);
      expect((await orderOf(client, order.hash))["status"]).toBe("NEW");
      expectTaken(await client.send(alice.cancel(order.hash)));
    },
  },
  {
    id: "C-D26-02",
    line: "ended sessions stay listed; creating one again replaces it",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      const create = (name: string) => alice.session(1, session, expiry, { body: { name } });
      await client.send(create("first"));
      await client.send(alice.session(3, session, expiry));
      expect(await sessions(client, alice.address)).toMatchObject([
        { name: "first", applied: false },
      ]);
      await client.send(create("second"));
      expect(await sessions(client, alice.address)).toMatchObject([
        { name: "second", applied: true },
      ]);
    },
  },
  {
    id: "C-D26-03",
    line: "an expiry in the past is 400",
    run: async (client) => {
      const { alice, session } = client;
      const now = client.nowSec();
      expectRefused(await client.send(alice.session(1, session, now - 1)), 400);
      expect((await client.send(alice.session(1, session, now + 1000))).status).toBe(200);
      expectRefused(await client.send(alice.session(2, session, now - 1)), 400);
    },
  },
  {
    id: "C-D26-04",
    line: "update or delete of a session that never was is 404",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      expectRefused(await client.send(alice.session(2, session, expiry)), 404);
      expectRefused(await client.send(alice.session(3, session, expiry)), 404);
    },
  },
  {
    id: "C-D30-01",
    line: "each accepted transaction is one block, which all its events carry",
    run: async (client) => {
      const { alice, bob } = client;
      const [ofAlice, ofBob] = [
        await watchUser(client, alice.address),
        await watchUser(client, bob.address),
      ];
      const block = async () => {
        const target = `/api/v1/wallet/balance?address=${alice.address}`;
        return record(resultOf(await client.get(target)))["blockNumber"];
      };
      await take(client, alice.limit(1, "1800", "1"));
      expect(await block()).toBe(1);
      await take(client, bob.limit(0, "1800", "1"));
      expect(await block()).toBe(2);
      expectRefused(await client.send(alice.cancel(UNKNOWN)), 404);
      expect(await block()).toBe(2);
      const numbers = async (events: typeof ofAlice) =>
        (await events()).map(({ blockNumber }) => blockNumber);
      expect(await numbers(ofAlice)).toEqual([1, 2]);
      expect(await numbers(ofBob)).toEqual([2, 2]);
    },
  },
  {
    id: "C-D32-01",
    line: "candles are aligned to the epoch in UTC, weeks to Monday, months to 30 days",
    run: async (client) => {
      client.advance(12_345_678);
      await print(client, "1800");
      for (const [resolution, sec, offset] of [
        ["1", 60, 0],
        ["720", 43_200, 0],
        ["1D", 86_400, 0],
        ["3D", 259_200, 0],
        // 1970-01-05 was a Monday.
        ["1W", 604_800, 345_600],
        ["1M", 2_592_000, 0],
      ] as const) {
        const from = client.nowSec() - 10 * sec;
        const target = `/market/candles?marketId=1_2&resolution=${resolution}&from=${from}`;
        const [candle] = list((await client.get(target)).result);
        const open = Number(candle?.["timestamp"]);
        expect((open - offset) % sec).toBe(0);
        expect(client.nowSec() - open).toBeLessThan(sec);
      }
    },
  },
  {
    id: "C-D32-02",
    line: "intervals without a trade are left out",
    run: async (client) => {
      const from = client.nowSec();
      await print(client, "1800");
      client.advance(600_000);
      await print(client, "1810");
      const target = `/market/candles?marketId=1_2&resolution=1&from=${from}`;
      const opens = list((await client.get(target)).result).map(({ timestamp }) => timestamp);
      expect(opens).toEqual([from, from + 600]);
      const [market] = list((await client.get("/api/v1/market")).result);
      expect(market?.["hasEmptyBars"]).toBe(false);
    },
  },
  {
    id: "C-D32-04",
    line: "the limit of 1000 counts opens in the range, traded in or not; so `from` 0 is for months only",
    run: async (client) => {
      const target = "/market/candles?marketId=1_2&resolution=";
      const from = client.nowSec();
      const status = async (query: string) => (await client.get(`${target}${query}`)).status;
      expect(await status(`1&from=${from}&to=${from + 59_999}`)).toBe(200);
      expect(await status(`1&from=${from}&to=${from + 60_000}`)).toBe(400);
      expect(await status(`1&from=${from + 1}&to=${from + 60_000}`)).toBe(200);
      expect(await status("1M")).toBe(200);
      for (const resolution of ["1", "60", "1D", "1W"]) expect(await status(resolution)).toBe(400);
    },
  },
  {
    id: "C-D32-05",
    line: "candle failures are HTTP 400 with the candle error, an unknown market too",
    run: async (client) => {
      const target = "/market/candles?resolution=1M&marketId=";
      for (const query of ["9_9", "", "1_2&from=x", "1_2&from=5&to=4"]) {
        const reply = await client.get(`${target}${query}`);
        expect(reply.status).toBe(400);
        expect(reply.body).toEqual({
          success: false,
          errorCode: "INVALID_PARAM",
          message: expect.stringMatching(/\S/),
        });
      }
    },
  },
  {
    id: "C-D33-01",
    line: "the faucet funds an address when its balance is first asked for, once",
    venue: { faucet: { "1": "10", "2": "25000" } },
    run: async (client) => {
      const { carol, bob } = client;
      for (let at = 0; at < 2; at += 1) {
        expect(await money(client, carol, "1")).toEqual(["10", "0"]);
        expect(await money(client, carol, "2")).toEqual(["25000", "0"]);
      }
      // Who had money from the start is no stranger.
      expect(await money(client, bob, "1")).toEqual(["100", "0"]);
    },
  },
  {
    id: "C-D33-02",
    line: "or when it first signs, or is subscribed to; the deposit reaches that subscription",
    venue: { faucet: { "1": "10", "2": "25000" } },
    run: async (client) => {
      const { carol, session } = client;
      expectTaken(await client.send(carol.limit(0, "1700", "10")));
      expect((await openOrders(client, carol.address))[0]?.["status"]).toBe("NEW");
      const events = await watchUser(client, session.address);
      const found = await events();
      expect(found).toMatchObject([
        { eventType: "DEPOSIT", tokenId: "1", amount: "10" },
        { eventType: "DEPOSIT", tokenId: "2", amount: "25000" },
      ]);
      expect(found[0]?.["blockNumber"]).toBe(found[1]?.["blockNumber"]);
    },
  },
  {
    id: "C-D33-03",
    line: "a transfer's receiver counts as seen",
    venue: { faucet: { "1": "10" } },
    run: async (client) => {
      const { alice, carol } = client;
      await take(client, alice.sign("transfer", { to: carol.address, value: "1" }));
      const [unlocked] = await money(client, carol, "1");
      // Funded when the transfer came, not by the question.
      expect(unlocked).toBe("11");
      const target = `/api/v1/wallet/balance?address=${carol.address}`;
      const before = record(resultOf(await client.get(target)))["blockNumber"];
      expect(record(resultOf(await client.get(target)))["blockNumber"]).toBe(before);
    },
  },
  {
    id: "C-D33-05",
    line: "retry: 400 while it waits, the layer-1 hash once the venue executed it, 404 if unknown",
    run: async (client) => {
      const { alice } = client;
      const path = "/api/v1/wallet/withdraw/retry";
      const context = { to: alice.address, token: "2", value: "5" };
      const txHash = await take(client, alice.sign("withdraw", context));
      expectRefused(await client.post(path, { txHash }), 400);
      client.advance(3_600_000);
      const executed = resultOf(await client.post(path, { txHash }));
      expect(executed).toMatch(/^0x[0-9a-f]{64}$/);
      expect(executed).not.toBe(txHash);
      expect(resultOf(await client.post(path, { txHash }))).toBe(executed);
      expectRefused(await client.post(path, { txHash: UNKNOWN }), 404);
      for (const bad of [{}, { txHash: "0x12" }]) expectRefused(await client.post(path, bad), 400);
    },
  },
  {
    id: "C-D33-06",
    line: "retry of one that failed on layer 1 mends it and answers a new layer-1 hash",
    venue: { faults: [{ kind: "withdrawal-l1", count: 1 }] },
    run: async (client) => {
      const { alice } = client;
      const path = "/api/v1/wallet/withdraw/retry";
      const context = { to: alice.address, token: "2", value: "5" };
      const txHash = await take(client, alice.sign("withdraw", context));
      client.advance(3_600_000);
      const executed = resultOf(await client.post(path, { txHash }));
      expect(executed).toMatch(/^0x[0-9a-f]{64}$/);
      expect(resultOf(await client.post(path, { txHash }))).toBe(executed);
      expect(await money(client, alice, "2")).toEqual(["249995", "0"]);
    },
  },
  {
    id: "C-D33-07",
    line: "retry of one that somebody else executed is answered 0x0",
    venue: { faults: [{ kind: "withdrawal-l1", outcome: "executed-elsewhere" }] },
    run: async (client) => {
      const { alice } = client;
      const context = { to: alice.address, token: "2", value: "5" };
      const txHash = await take(client, alice.sign("withdraw", context));
      client.advance(3_600_000);
      const reply = await client.post("/api/v1/wallet/withdraw/retry", { txHash });
      expect(resultOf(reply)).toBe("0x0");
    },
  },
];
