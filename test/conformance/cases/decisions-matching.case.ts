import { expect } from "vitest";
import { expectRefused, money, orderOf, take, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { book, legIds, print, trade, userTrades, watchUser, withLegs } from "../scenes.ts";

const status = async (client: VenueClient, id: string): Promise<unknown> =>
  (await orderOf(client, id))["status"];

export const decisionsOfMatching: readonly ConformanceCase[] = [
  {
    id: "C-D17-01",
    line: "best price first, at one price the oldest order first",
    run: async (client) => {
      const { alice, bob } = client;
      const late = await take(client, alice.limit(1, "1801", "1"));
      const first = await take(client, alice.limit(1, "1800", "1"));
      const second = await take(client, alice.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1801", "1.5"));
      const executed = [];
      for (const id of [first, second, late])
        executed.push((await orderOf(client, id))["executedQty"]);
      expect(executed).toEqual(["1", "0.5", "0"]);
    },
  },
  {
    id: "C-D17-03",
    line: "an order that would meet its owner's own: the rest of the incoming one is canceled",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, bob.limit(1, "1800", "1"));
      const own = await take(client, alice.limit(1, "1801", "1"));
      const incoming = await take(client, alice.limit(0, "1801", "3"));
      expect(await orderOf(client, incoming)).toMatchObject({
        status: "CANCELED",
        executedQty: "1",
      });
      expect(await status(client, own)).toBe("NEW");
    },
  },
  {
    id: "C-D18-02",
    line: "fees are rounded half-up at 18 decimals",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.limit(1, "1800", "0.000100000000001"));
      await take(client, bob.limit(0, "1800", "0.000100000000001"));
      // 0.0005 of it has a 5 as its 19th decimal.
      expect((await userTrades(client, bob.address))[0]?.["fee"]).toBe("0.000000050000000001");
    },
  },
  {
    id: "C-D19-01",
    line: "a limit buy locks price x quantity of quote, a sell its quantity of base",
    run: async (client) => {
      const { alice } = client;
      await take(client, alice.limit(0, "1700.5", "2"));
      await take(client, alice.limit(1, "1900", "3"));
      expect(await money(client, alice, "2")).toEqual(["246599", "3401"]);
      expect(await money(client, alice, "1")).toEqual(["97", "3"]);
    },
  },
  {
    id: "C-D19-02",
    line: "a better price releases the difference at once; a market order locks nothing",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1900", "3"));
      expect(await money(client, bob, "2")).toEqual(["244400", "3800"]);
      await take(client, alice.limit(1, "1950", "1"));
      await take(client, bob.market(0, "0.5"));
      expect(await money(client, bob, "2")).toEqual(["243425", "3800"]);
    },
  },
  {
    id: "C-D20-01",
    line: "a market order that runs out of book: the rest is canceled, with its event",
    run: async (client) => {
      const { bob } = client;
      await trade(client);
      const events = await watchUser(client, bob.address);
      const id = await take(client, bob.market(0, "5"));
      expect(await orderOf(client, id)).toMatchObject({ status: "CANCELED", executedQty: "1" });
      const types = (await events()).map(({ eventType }) => eventType);
      expect(types).toEqual(["NEW", "TRADE", "CANCEL"]);
    },
  },
  {
    id: "C-D20-02",
    line: "one that matches nothing at all is REJECTED, also when an own order stands first",
    run: async (client) => {
      const { alice, bob } = client;
      expect(await status(client, await take(client, bob.market(0, "1")))).toBe("REJECTED");
      await take(client, bob.limit(1, "1800", "1"));
      await take(client, alice.limit(1, "1801", "1"));
      expect(await status(client, await take(client, bob.market(0, "1")))).toBe("REJECTED");
    },
  },
  {
    id: "C-D20-03",
    line: "a market order with a price is REJECTED",
    run: async (client) => {
      await trade(client);
      const id = await take(client, client.bob.order({ orderType: 1, price: "1800" }));
      expect(await status(client, id)).toBe("REJECTED");
    },
  },
  {
    id: "C-D21-01",
    line: "the least size of a market order is that at the best opposite price",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.limit(1, "1800", "1"));
      const small = await take(client, bob.market(0, "0.00009"));
      expect(await status(client, small)).toBe("REJECTED");
      const least = await take(client, bob.market(0, "0.0001"));
      expect(await status(client, least)).toBe("FILLED");
    },
  },
  {
    id: "C-D21-02",
    line: "in quote mode no least size; what quote buys is rounded down to 8 decimals",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.limit(1, "1800", "1"));
      const id = await take(client, bob.market(0, "0.1", 1));
      // 0.1 / 1800 = 0.0000555555…: the rest buys nothing and is canceled.
      expect(await orderOf(client, id)).toMatchObject({
        status: "CANCELED",
        executedQty: "0.00005555",
        executedQuoteQty: "0.09999",
      });
      const nothing = await take(client, bob.market(0, "0.00001", 1));
      expect(await status(client, nothing)).toBe("REJECTED");
    },
  },
  {
    id: "C-D22-01",
    line: "from 10000 up no decimals and still 5 digits: 123450 is a price, 123456 is not",
    run: async (client) => {
      const { alice } = client;
      for (const [price, expected] of [
        ["123450", "NEW"],
        ["123456", "REJECTED"],
        ["99999", "NEW"],
        ["10000.5", "REJECTED"],
      ] as const) {
        const id = await take(client, alice.limit(0, price, "0.01"));
        expect([price, await status(client, id)]).toEqual([price, expected]);
      }
    },
  },
  {
    id: "C-D22-02",
    line: "trailing zeros never count",
    run: async (client) => {
      const { alice } = client;
      for (const price of ["1800.500000", "10000.0", "1.00000000000000000"]) {
        const id = await take(client, alice.limit(0, price, "1"));
        expect([price, await status(client, id)]).toEqual([price, "NEW"]);
      }
    },
  },
  {
    id: "C-D22-03",
    line: "the price rules hold for stop and leg prices, too",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      for (const signed of [
        alice.stop(1, "1700.55", "1"),
        alice.stop(1, "1700", "1", { price: "1690.55" }),
        alice.limit(0, "1800", "1", { tpsl: { tpLimit: "1900.55", slTrigger: "1700" } }),
        alice.limit(0, "1800", "1", { tpsl: { tpLimit: "1900", slTrigger: "1700.55" } }),
        alice.limit(0, "1800", "1", {
          tpsl: { tpLimit: "1900", slTrigger: "1700", slLimit: "1690.55" },
        }),
      ]) {
        expect(await status(client, await take(client, signed))).toBe("REJECTED");
      }
    },
  },
  {
    id: "C-D23-01",
    line: "a modified order joins the back of its queue",
    run: async (client) => {
      const { alice, bob } = client;
      const first = await take(client, alice.limit(1, "1800", "1"));
      const second = await take(client, alice.limit(1, "1800", "1"));
      const modified = await take(client, alice.modify(first, { newQty: "1" }));
      await take(client, bob.limit(0, "1800", "1"));
      expect(await status(client, second)).toBe("FILLED");
      expect(await status(client, modified)).toBe("NEW");
    },
  },
  {
    id: "C-D23-02",
    line: "newQty is the new total: the replacement has newQty less what executed, and nothing executed",
    run: async (client) => {
      const { alice, bob } = client;
      const id = await take(client, alice.limit(1, "1800", "2"));
      await take(client, bob.limit(0, "1800", "0.5"));
      const modified = await take(client, alice.modify(id, { newQty: "3" }));
      expect(await orderOf(client, modified)).toMatchObject({
        origQty: "2.5",
        executedQty: "0",
        status: "NEW",
      });
      expect(await money(client, alice, "1")).toEqual(["97", "2.5"]);
    },
  },
  {
    id: "C-D23-03",
    line: "without newQty it carries what remains",
    run: async (client) => {
      const { alice, bob } = client;
      const id = await take(client, alice.limit(1, "1800", "2"));
      await take(client, bob.limit(0, "1800", "0.5"));
      const modified = await take(client, alice.modify(id, { newPrice: "1810" }));
      expect(await orderOf(client, modified)).toMatchObject({ origQty: "1.5", price: "1810" });
    },
  },
  {
    id: "C-D23-04",
    line: "newQty not above what executed is 400, neither field given too",
    run: async (client) => {
      const { alice, bob } = client;
      const id = await take(client, alice.limit(1, "1800", "2"));
      await take(client, bob.limit(0, "1800", "0.5"));
      for (const context of [
        { newQty: "0.5" },
        { newQty: "0.4" },
        { newQty: "0" },
        {},
        { newPrice: null, newQty: null },
      ]) {
        expectRefused(await client.send(alice.modify(id, context)), 400);
      }
      expect(await status(client, id)).toBe("PARTIALLY_FILLED");
    },
  },
  {
    id: "C-D23-05",
    line: "on a trigger order newPrice changes the limit price only",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      const id = await take(client, alice.stop(1, "1700", "1", { price: "1690" }));
      const modified = await take(client, alice.modify(id, { newPrice: "1680" }));
      expect(await orderOf(client, modified)).toMatchObject({
        isTrigger: true,
        triggerPrice: "1700",
        price: "1680",
        status: "NEW",
      });
    },
  },
  {
    id: "C-D23-06",
    line: "events: CANCEL of the original, NEW of the replacement, both with the modify's hash",
    run: async (client) => {
      const { alice } = client;
      const id = await take(client, alice.limit(0, "1700", "1"));
      const events = await watchUser(client, alice.address);
      const hash = await take(client, alice.modify(id, { newPrice: "1710" }));
      expect(await events()).toMatchObject([
        { eventType: "CANCEL", orderId: id, txHash: hash },
        { eventType: "NEW", orderId: hash, txHash: hash },
      ]);
    },
  },
  {
    id: "C-D23-07",
    line: "a working leg's pending legs move with it, under ids of the modify",
    run: async (client) => {
      const { alice } = client;
      const [main, takeProfit, stopLoss] = await withLegs(client);
      const modified = await take(client, alice.modify(main, { newPrice: "1790" }));
      for (const id of [main, takeProfit, stopLoss]) {
        expect(await status(client, id)).toBe("CANCELED");
      }
      expect(await orderOf(client, modified)).toMatchObject({ otoLegType: "WORKING_LEG" });
      const [, newTakeProfit, newStopLoss] = legIds(modified);
      for (const id of [newTakeProfit, newStopLoss]) {
        expect(await status(client, id)).toBe("PENDING_NEW");
      }
    },
  },
  {
    id: "C-D23-08",
    line: "a replacement that breaks a rule or lacks money: the original is canceled all the same",
    run: async (client) => {
      const { alice } = client;
      for (const context of [{ newPrice: "1700.55" }, { newQty: "1000" }]) {
        const id = await take(client, alice.limit(0, "1700", "1"));
        const modified = await take(client, alice.modify(id, context));
        expect(await status(client, id)).toBe("CANCELED");
        expect(await status(client, modified)).toBe("REJECTED");
      }
      expect(await money(client, alice, "2")).toEqual(["250000", "0"]);
    },
  },
  {
    id: "C-D23-09",
    line: "what the original locks counts as free for its replacement",
    run: async (client) => {
      const { alice } = client;
      const id = await take(client, alice.limit(1, "1800", "100"));
      const modified = await take(client, alice.modify(id, { newPrice: "1810" }));
      expect(await status(client, modified)).toBe("NEW");
    },
  },
  {
    id: "C-D23-10",
    line: "a leg cannot be modified: 400",
    run: async (client) => {
      const { alice, bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client);
      for (const placed of [false, true]) {
        if (placed) await take(client, bob.limit(1, "1800", "1"));
        for (const id of [takeProfit, stopLoss]) {
          expectRefused(await client.send(alice.modify(id, { newQty: "0.5" })), 400);
        }
      }
    },
  },
  {
    id: "C-D24-01",
    line: "a stop at or above the last price fires when a trade prints at or above it, else at or below",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      const above = await take(client, alice.stop(0, "1850", "0.1"));
      const below = await take(client, alice.stop(0, "1750", "0.1"));
      const isTriggered = async (id: string) => (await orderOf(client, id))["isTriggered"];
      await print(client, "1849");
      expect([await isTriggered(above), await isTriggered(below)]).toEqual([false, false]);
      await print(client, "1850");
      expect([await isTriggered(above), await isTriggered(below)]).toEqual([true, false]);
      await print(client, "1751");
      expect(await isTriggered(below)).toBe(false);
      await print(client, "1740");
      expect(await isTriggered(below)).toBe(true);
    },
  },
  {
    id: "C-D24-02",
    line: "sell below and buy above the market is a stop loss, the others take a profit",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      for (const [side, stopPrice, type] of [
        [1, "1700", "STOP_LOSS_MARKET"],
        [0, "1900", "STOP_LOSS_MARKET"],
        [1, "1900", "TAKE_PROFIT_MARKET"],
        [0, "1700", "TAKE_PROFIT_MARKET"],
        [1, "1700", "STOP_LOSS_LIMIT"],
        [0, "1700", "TAKE_PROFIT_LIMIT"],
      ] as const) {
        const limit = type.endsWith("LIMIT") ? { price: "1700" } : {};
        const id = await take(client, alice.stop(side, stopPrice, "1", limit));
        expect((await orderOf(client, id))["orderType"]).toBe(type);
      }
    },
  },
  {
    id: "C-D24-03",
    line: "money is locked at admission; a stop market buy locks quantity x stopPrice",
    run: async (client) => {
      const { bob } = client;
      await print(client, "1800");
      const [quote] = await money(client, bob, "2");
      const [base] = await money(client, bob, "1");
      await take(client, bob.stop(0, "1900", "2"));
      expect(await money(client, bob, "2")).toEqual([String(Number(quote) - 3800), "3800"]);
      await take(client, bob.stop(1, "1700", "3", { price: "1690" }));
      expect((await money(client, bob, "1"))[1]).toBe("3");
      expect(Number((await money(client, bob, "1"))[0])).toBeCloseTo(Number(base) - 3, 9);
      const id = await take(client, bob.stop(0, "1900", "1000"));
      expect(await status(client, id)).toBe("REJECTED");
    },
  },
  {
    id: "C-D24-04",
    line: "once activated a stop market buy buys at most what it locked pays for; the rest is canceled",
    run: async (client) => {
      const { alice, bob } = client;
      await print(client, "1800");
      const id = await take(client, bob.stop(0, "1850", "1"));
      await take(client, alice.limit(1, "1850", "0.1"));
      await take(client, alice.limit(1, "1900", "5"));
      await take(client, client.alice.limit(0, "1700", "0.1"));
      await take(client, client.bob.limit(0, "1850", "0.1"));
      const order = await orderOf(client, id);
      expect(order).toMatchObject({ status: "CANCELED", isTriggered: true });
      // 1850 buys 0.97368421 at 1900.
      expect(order["executedQty"]).toBe("0.97368421");
      expect((await money(client, bob, "2"))[1]).toBe("0");
    },
  },
  {
    id: "C-D24-05",
    line: "the least size of a stop market order is that at its stopPrice",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      const small = await take(client, alice.stop(1, "1700", "0.00009"));
      const least = await take(client, alice.stop(1, "1700", "0.0001"));
      expect([await status(client, small), await status(client, least)]).toEqual([
        "REJECTED",
        "NEW",
      ]);
    },
  },
  {
    id: "C-D24-06",
    line: "without a trade the mid decides; with neither it is REJECTED",
    run: async (client) => {
      const { alice, bob } = client;
      const none = await take(client, alice.stop(1, "1700", "1"));
      expect(await status(client, none)).toBe("REJECTED");
      await take(client, bob.limit(0, "1790", "1"));
      const oneSide = await take(client, alice.stop(1, "1700", "1"));
      expect(await status(client, oneSide)).toBe("REJECTED");
      await take(client, bob.limit(1, "1810", "1"));
      const below = await take(client, alice.stop(1, "1799", "1"));
      const above = await take(client, alice.stop(1, "1801", "1"));
      expect((await orderOf(client, below))["orderType"]).toBe("STOP_LOSS_MARKET");
      expect((await orderOf(client, above))["orderType"]).toBe("TAKE_PROFIT_MARKET");
    },
  },
  {
    id: "C-D24-07",
    line: "a stopPrice equal to the last price waits for the next print",
    run: async (client) => {
      await print(client, "1800");
      const id = await take(client, client.alice.stop(0, "1800", "0.1", { price: "1700" }));
      expect(await orderOf(client, id)).toMatchObject({ status: "NEW", isTriggered: false });
      await print(client, "1800");
      expect((await orderOf(client, id))["isTriggered"]).toBe(true);
    },
  },
  {
    id: "C-D24-08",
    line: "a quote-mode stop market sell locks quantity / stopPrice of base, rounded up at 8 decimals",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      await take(client, alice.stop(1, "1700", "100", { orderMode: 1 }));
      // 100 / 1700 = 0.0588235294…
      expect((await money(client, alice, "1"))[1]).toBe("0.05882353");
    },
  },
  {
    id: "C-D24-09",
    line: "a stop market order that finds nothing when it fires is CANCELED",
    run: async (client) => {
      const { alice, bob } = client;
      await print(client, "1800");
      const id = await take(client, alice.stop(1, "1700", "1"));
      await take(client, bob.limit(0, "1690", "1"));
      await take(client, alice.limit(1, "1690", "1"));
      const order = await orderOf(client, id);
      expect(order).toMatchObject({ status: "CANCELED", isTriggered: true, executedQty: "0" });
      expect((await money(client, alice, "1"))[1]).toBe("0");
    },
  },
  {
    id: "C-D24-10",
    line: "activation and what follows belong to the block of the transaction that caused it",
    run: async (client) => {
      const { alice, bob } = client;
      await print(client, "1800");
      const events = await watchUser(client, alice.address);
      const id = await take(client, alice.stop(1, "1700", "1"));
      await take(client, bob.limit(0, "1690", "3"));
      const cause = await take(client, alice.limit(1, "1690", "1"));
      const ofStop = (await events()).filter((event) => event["orderId"] === id);
      expect(ofStop.map(({ eventType }) => eventType)).toEqual(["NEW", "TRIGGER", "TRADE"]);
      const [, trigger, fill] = ofStop;
      expect([trigger?.["txHash"], fill?.["txHash"]]).toEqual([cause, cause]);
      expect(trigger?.["blockNumber"]).toBe(fill?.["blockNumber"]);
    },
  },
  {
    id: "C-D25-01",
    line: "legs are there from admission as PENDING_NEW, OCO, on the other side",
    run: async (client) => {
      const [main, takeProfit, stopLoss] = await withLegs(client);
      expect(await orderOf(client, main)).toMatchObject({
        contingencyType: "OTO",
        otoLegType: "WORKING_LEG",
      });
      const leg = { status: "PENDING_NEW", contingencyType: "OCO", side: "SELL" };
      expect(await orderOf(client, takeProfit)).toMatchObject({
        ...leg,
        otoLegType: "TP_LEG",
        orderType: "TAKE_PROFIT_LIMIT",
        price: "1900",
        isTrigger: false,
      });
      expect(await orderOf(client, stopLoss)).toMatchObject({
        ...leg,
        otoLegType: "SL_LEG",
        orderType: "STOP_LOSS_MARKET",
        price: "0",
        isTrigger: true,
        triggerPrice: "1700",
      });
    },
  },
  {
    id: "C-D25-02",
    line: "when the buy has filled they are placed, with NEW events, to sell what came in net of fee",
    run: async (client) => {
      const { alice, bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client);
      const events = await watchUser(client, alice.address);
      await take(client, bob.limit(1, "1800", "0.4"));
      expect(await status(client, takeProfit)).toBe("PENDING_NEW");
      await take(client, bob.limit(1, "1800", "0.6"));
      for (const id of [takeProfit, stopLoss]) {
        // 1 less the maker's 0.0002.
        expect(await orderOf(client, id)).toMatchObject({ status: "NEW", origQty: "0.9998" });
      }
      const placed = (await events()).filter(({ eventType }) => eventType === "NEW");
      expect(placed.map(({ orderId }) => orderId)).toEqual([takeProfit, stopLoss]);
      expect((await book(client)).asks).toEqual(["1900 x 0.9998"]);
    },
  },
  {
    id: "C-D25-03",
    line: "after a sell they buy back the executed base quantity",
    run: async (client) => {
      const { alice, bob } = client;
      const tpsl = { tpLimit: "1700", slTrigger: "1900" };
      const main = await take(client, alice.limit(1, "1800", "1", { tpsl }));
      const [, takeProfit, stopLoss] = legIds(main);
      await take(client, bob.limit(0, "1800", "1"));
      for (const id of [takeProfit, stopLoss]) {
        expect(await orderOf(client, id)).toMatchObject({
          status: "NEW",
          side: "BUY",
          origQty: "1",
        });
      }
      // One lock for both, the larger need: 1 x 1900.
      expect((await money(client, alice, "2"))[1]).toBe("1900");
    },
  },
  {
    id: "C-D25-05",
    line: "a working leg canceled before it is filled: its legs are CANCELED, with an event each",
    run: async (client) => {
      const { alice } = client;
      const [main, takeProfit, stopLoss] = await withLegs(client);
      const events = await watchUser(client, alice.address);
      await take(client, alice.cancel(main));
      const canceled = (await events()).map(
        ({ eventType, orderId }) => `${String(eventType)} ${String(orderId)}`,
      );
      const expected = [main, takeProfit, stopLoss].map((id) => `CANCEL ${id}`);
      expect(canceled).toHaveLength(3);
      expect(new Set(canceled)).toEqual(new Set(expected));
      for (const id of [takeProfit, stopLoss]) expect(await status(client, id)).toBe("CANCELED");
    },
  },
  {
    id: "C-D25-06",
    line: "a working leg rejected at admission: its legs never exist",
    run: async (client) => {
      const tpsl = { tpLimit: "1900", slTrigger: "1700" };
      const main = await take(client, client.alice.limit(0, "1800", "1000", { tpsl }));
      expect(await status(client, main)).toBe("REJECTED");
      const [, ...legsOfIt] = legIds(main);
      for (const id of legsOfIt) expectRefused(await client.get(`/api/v1/order/${id}`), 404);
    },
  },
  {
    id: "C-D25-07",
    line: "one leg partly filled shrinks the other without an event; filled it cancels it",
    run: async (client) => {
      const { alice, bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client);
      await take(client, bob.limit(1, "1800", "1"));
      const events = await watchUser(client, alice.address);
      await take(client, bob.limit(0, "1900", "0.4998"));
      expect(await orderOf(client, stopLoss)).toMatchObject({ status: "NEW", origQty: "0.9998" });
      expect((await money(client, alice, "1"))[1]).toBe("0.5");
      expect((await events()).filter((event) => event["orderId"] === stopLoss)).toEqual([]);
      await take(client, bob.limit(0, "1900", "0.5"));
      expect(await status(client, takeProfit)).toBe("FILLED");
      expect(await status(client, stopLoss)).toBe("CANCELED");
    },
  },
  {
    id: "C-D25-08",
    line: "a shrunk leg that fills what it still can is FILLED",
    run: async (client) => {
      const { alice, bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client);
      await take(client, bob.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1900", "0.4998"));
      await take(client, bob.limit(0, "1690", "1"));
      await take(client, alice.limit(1, "1690", "0.1"));
      expect(await orderOf(client, stopLoss)).toMatchObject({
        status: "FILLED",
        executedQty: "0.5",
        origQty: "0.9998",
      });
      expect(await status(client, takeProfit)).toBe("CANCELED");
      expect((await money(client, alice, "1"))[1]).toBe("0");
    },
  },
  {
    id: "C-D25-09",
    line: "a canceled leg cancels its pair, before placement too",
    run: async (client) => {
      const { alice, bob } = client;
      const [main, takeProfit, stopLoss] = await withLegs(client);
      await take(client, alice.cancel(takeProfit));
      expect(await status(client, stopLoss)).toBe("CANCELED");
      expect(await status(client, main)).toBe("NEW");
      const [, nextTakeProfit, nextStopLoss] = await withLegs(client);
      await take(client, bob.limit(1, "1800", "2"));
      expect(await status(client, nextStopLoss)).toBe("NEW");
      await take(client, alice.cancel(nextStopLoss));
      expect(await status(client, nextTakeProfit)).toBe("CANCELED");
      expect((await money(client, alice, "1"))[1]).toBe("0");
    },
  },
  {
    id: "C-D25-10",
    line: "a stop loss fires at placement when the last trade is beyond its trigger already",
    run: async (client) => {
      const { bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client, {
        tpLimit: "2000",
        slTrigger: "1799",
      });
      await take(client, bob.limit(0, "1750", "5"));
      await take(client, client.alice.limit(1, "1850", "5"));
      // The fill that places the legs prints at 1790, below the trigger.
      const better = await take(
        client,
        client.alice.limit(0, "1795", "1", {
          tpsl: { tpLimit: "2000", slTrigger: "1794" },
        }),
      );
      expect(await status(client, better)).toBe("NEW");
      await take(client, bob.limit(1, "1795", "2"));
      // 1800 filled first (better price), then 1795: the first pair's trigger, 1799, is behind the last price.
      expect(await orderOf(client, stopLoss)).toMatchObject({ isTriggered: true });
      expect(await status(client, takeProfit)).toBe("CANCELED");
    },
  },
  {
    id: "C-D25-11",
    line: "for a buy tpLimit > price > slTrigger, for a sell the reverse; else REJECTED",
    run: async (client) => {
      const { alice } = client;
      for (const [side, tpLimit, slTrigger] of [
        [0, "1800", "1700"],
        [0, "1900", "1800"],
        [0, "1700", "1900"],
        [1, "1900", "1700"],
        [1, "1800", "1900"],
      ] as const) {
        const tpsl = { tpLimit, slTrigger };
        const id = await take(client, alice.limit(side, "1800", "1", { tpsl }));
        expect(await status(client, id)).toBe("REJECTED");
      }
    },
  },
  {
    id: "C-D25-12",
    line: "a leg whose money is not there when it is placed is REJECTED; the fill stands",
    run: async (client) => {
      const { alice, bob } = client;
      const tpsl = { tpLimit: "1700", slTrigger: "1900" };
      const main = await take(client, alice.limit(1, "1800", "1", { tpsl }));
      const [, takeProfit, stopLoss] = legIds(main);
      // All quote is in another order; the sale brings 1799.64, enough for 1700, not for 1900.
      await take(client, alice.limit(0, "1000", "250"));
      await take(client, bob.limit(0, "1800", "1"));
      expect(await status(client, main)).toBe("FILLED");
      expect(await status(client, takeProfit)).toBe("NEW");
      expect(await status(client, stopLoss)).toBe("REJECTED");
    },
  },
  {
    id: "C-D25-13",
    line: "legs are not held to the least size",
    run: async (client) => {
      const { alice, bob } = client;
      const tpsl = { tpLimit: "1900", slTrigger: "1700" };
      const main = await take(client, alice.limit(0, "1800", "0.0001", { tpsl }));
      await take(client, bob.limit(1, "1800", "0.0001"));
      const [, takeProfit] = legIds(main);
      // Net of fee, and so below 0.0001.
      expect(await orderOf(client, takeProfit)).toMatchObject({
        status: "NEW",
        origQty: "0.00009998",
      });
    },
  },
];
