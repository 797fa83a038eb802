import { expect } from "vitest";
import { expectRefused, expectTaken, orderOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { openOrders, print, trade, withLegs } from "../scenes.ts";

export const enumerations: readonly ConformanceCase[] = [
  {
    id: "C-2.1-01",
    line: "sides are BUY and SELL",
    run: async (client) => {
      const { sell, buy } = await trade(client);
      expect((await orderOf(client, sell))["side"]).toBe("SELL");
      expect((await orderOf(client, buy))["side"]).toBe("BUY");
    },
  },
  {
    id: "C-2.1-02",
    line: "order types: limit and market",
    run: async (client) => {
      const { sell } = await trade(client);
      const market = await take(client, client.bob.market(0, "0.1"));
      expect((await orderOf(client, sell))["orderType"]).toBe("LIMIT");
      expect((await orderOf(client, market))["orderType"]).toBe("MARKET");
    },
  },
  {
    id: "C-2.1-03",
    line: "order types: take profit and stop loss, limit and market each",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      const made = await Promise.all(
        [
          alice.stop(0, "1700", "1", { price: "1700" }),
          alice.stop(0, "1700", "1"),
          alice.stop(1, "1700", "1", { price: "1700" }),
          alice.stop(1, "1700", "1"),
        ].map((signed) => take(client, signed)),
      );
      const types = [];
      for (const id of made) types.push((await orderOf(client, id))["orderType"]);
      expect(types).toEqual([
        "TAKE_PROFIT_LIMIT",
        "TAKE_PROFIT_MARKET",
        "STOP_LOSS_LIMIT",
        "STOP_LOSS_MARKET",
      ]);
    },
  },
  {
    id: "C-2.1-04",
    line: "statuses: NEW, PARTIALLY_FILLED, FILLED, CANCELED, REJECTED",
    run: async (client) => {
      const { alice } = client;
      const { sell, buy } = await trade(client);
      const resting = await take(client, alice.limit(0, "1700", "1"));
      const gone = await take(client, alice.limit(0, "1600", "1"));
      await take(client, alice.cancel(gone));
      const refused = await take(client, alice.limit(0, "1.23456", "1"));
      const statuses = [];
      for (const id of [resting, sell, buy, gone, refused]) {
        statuses.push((await orderOf(client, id))["status"]);
      }
      expect(statuses).toEqual(["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED"]);
    },
  },
  {
    id: "C-2.1-05",
    line: "contingency types: NONE of a plain order, OTO of one with legs, OCO of its legs",
    run: async (client) => {
      const plain = await take(client, client.alice.limit(0, "1700", "1"));
      expect((await orderOf(client, plain))["contingencyType"]).toBe("NONE");
      const [main, takeProfit, stopLoss] = await withLegs(client);
      expect((await orderOf(client, main))["contingencyType"]).toBe("OTO");
      expect((await orderOf(client, takeProfit))["contingencyType"]).toBe("OCO");
      expect((await orderOf(client, stopLoss))["contingencyType"]).toBe("OCO");
    },
  },
  {
    id: "C-2.1-06",
    line: "OTO leg types as corrected: NONE, WORKING_LEG, TP_LEG, SL_LEG",
    run: async (client) => {
      const plain = await take(client, client.alice.limit(0, "1700", "1"));
      const types = [(await orderOf(client, plain))["otoLegType"]];
      for (const id of await withLegs(client))
        types.push((await orderOf(client, id))["otoLegType"]);
      expect(types).toEqual(["NONE", "WORKING_LEG", "TP_LEG", "SL_LEG"]);
    },
  },
  {
    id: "C-2.1-07",
    line: "mode 0 counts base token, mode 1 quote token, the latter for market orders only",
    run: async (client) => {
      const { bob } = client;
      await trade(client);
      const inBase = await take(client, bob.market(0, "0.5", 0));
      const inQuote = await take(client, bob.market(0, "900", 1));
      expect(await orderOf(client, inBase)).toMatchObject({ orderMode: 0, executedQty: "0.5" });
      expect(await orderOf(client, inQuote)).toMatchObject({ orderMode: 1, executedQty: "0.5" });
    },
  },
  {
    id: "C-2.1-08",
    line: "side in a transaction: 0 buys, 1 sells, nothing else",
    run: async (client) => {
      const { alice } = client;
      const buy = await take(client, alice.limit(0, "1700", "1"));
      const sell = await take(client, alice.limit(1, "1900", "1"));
      expect((await orderOf(client, buy))["side"]).toBe("BUY");
      expect((await orderOf(client, sell))["side"]).toBe("SELL");
      for (const side of [2, -1, "0", 0.5, null]) {
        expectRefused(await client.send(alice.order({ side })), 400);
      }
    },
  },
  {
    id: "C-2.1-09",
    line: "order type in a transaction: 0 limit, 1 market, nothing else",
    run: async (client) => {
      const { alice } = client;
      expectTaken(await client.send(alice.order({ orderType: 0 })));
      for (const orderType of [2, "1", null]) {
        expectRefused(await client.send(alice.order({ orderType })), 400);
      }
    },
  },
  {
    id: "C-2.1-10",
    line: "session command type: 1 create, 2 update, 3 delete, nothing else",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      for (const type of [1, 2, 3] as const) {
        expect((await client.send(alice.session(type, session, expiry))).status).toBe(200);
      }
      const wrong = alice.session(1, session, expiry, { context: { type: 4 } });
      expectRefused(await client.send(wrong), 400);
    },
  },
  {
    id: "C-2.1-11",
    line: "the quantity stands in origQty or origQuoteOrderQty by mode, the other is 0",
    run: async (client) => {
      const { sell } = await trade(client);
      expect(await orderOf(client, sell)).toMatchObject({ origQty: "2", origQuoteOrderQty: "0" });
      const inQuote = await take(client, client.bob.market(0, "900", 1));
      expect(await orderOf(client, inQuote)).toMatchObject({
        origQty: "0",
        origQuoteOrderQty: "900",
      });
    },
  },
  {
    id: "C-2.1-12",
    line: "OCO: one filled cancels the other; OTO: the second is placed when the first fills",
    run: async (client) => {
      const { alice, bob } = client;
      const [main, takeProfit, stopLoss] = await withLegs(client);
      expect((await orderOf(client, takeProfit))["status"]).toBe("PENDING_NEW");
      await take(client, bob.limit(1, "1800", "1"));
      expect((await orderOf(client, main))["status"]).toBe("FILLED");
      expect(await openOrders(client, alice.address)).toHaveLength(2);
      await take(client, bob.limit(0, "1900", "1"));
      expect((await orderOf(client, takeProfit))["status"]).toBe("FILLED");
      expect((await orderOf(client, stopLoss))["status"]).toBe("CANCELED");
    },
  },
];
