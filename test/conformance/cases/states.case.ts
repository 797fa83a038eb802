import { expect } from "vitest";
import { money, orderOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { book, openOrders, print, sessions, watchUser, withLegs } from "../scenes.ts";

/** §3: what moves an order from one status to the next, as REST and the user's stream tell it. */
export const states: readonly ConformanceCase[] = [
  {
    id: "C-3-01",
    line: "a placement that is admitted makes a NEW order, with a NEW event",
    run: async (client) => {
      const events = await watchUser(client, client.alice.address);
      const id = await take(client, client.alice.limit(0, "1800", "1"));
      expect((await orderOf(client, id))["status"]).toBe("NEW");
      expect(await events()).toMatchObject([{ eventType: "NEW", orderId: id, status: "NEW" }]);
    },
  },
  {
    id: "C-3-02",
    line: "a stop order that is admitted is NEW, with a NEW event",
    run: async (client) => {
      await print(client, "1800");
      const events = await watchUser(client, client.alice.address);
      const id = await take(client, client.alice.stop(1, "1700", "1"));
      expect(await orderOf(client, id)).toMatchObject({ status: "NEW", isTriggered: false });
      expect(await events()).toMatchObject([{ eventType: "NEW", orderId: id, status: "NEW" }]);
    },
  },
  {
    id: "C-3-03",
    line: "an order that breaks the engine's rules is REJECTED, with a REJECTED event",
    run: async (client) => {
      const events = await watchUser(client, client.alice.address);
      const bad = [
        ["1800.12", "1"],
        ["123456", "0.1"],
        ["1800", "0.00001"],
      ] as const;
      for (const [price, quantity] of bad) {
        const id = await take(client, client.alice.limit(0, price, quantity));
        expect((await orderOf(client, id))["status"]).toBe("REJECTED");
        expect((await events()).at(-1)).toMatchObject({
          eventType: "REJECTED",
          status: "REJECTED",
          orderId: id,
        });
      }
    },
  },
  {
    id: "C-3-04",
    line: "a trigger order whose price is crossed goes into the book, with a TRIGGER event",
    run: async (client) => {
      const { alice } = client;
      await print(client, "1800");
      const events = await watchUser(client, alice.address);
      const id = await take(client, alice.stop(1, "1700", "1", { price: "1950" }));
      expect((await book(client)).asks).toEqual([]);
      await print(client, "1690");
      expect(await orderOf(client, id)).toMatchObject({ status: "NEW", isTriggered: true });
      expect((await book(client)).asks).toEqual(["1950 x 1"]);
      const trigger = (await events()).find(({ eventType }) => eventType === "TRIGGER");
      const nothing = { executedQty: "0", executedQuoteQty: "0", fee: "0", tradeId: "" };
      expect(trigger).toMatchObject({ orderId: id, status: "NEW", lastQty: "0", ...nothing });
      expect(trigger).toMatchObject({ orderType: "STOP_LOSS_LIMIT", lastPrice: "0" });
    },
  },
  {
    id: "C-3-05",
    line: "an execution that leaves something makes it PARTIALLY_FILLED, with a TRADE event",
    run: async (client) => {
      const { alice, bob } = client;
      const events = await watchUser(client, alice.address);
      const id = await take(client, alice.limit(0, "1800", "2"));
      await take(client, bob.limit(1, "1800", "0.5"));
      expect(await orderOf(client, id)).toMatchObject({
        status: "PARTIALLY_FILLED",
        executedQty: "0.5",
      });
      expect((await events()).at(-1)).toMatchObject({
        eventType: "TRADE",
        status: "PARTIALLY_FILLED",
      });
    },
  },
  {
    id: "C-3-06",
    line: "an execution of all that is left makes it FILLED, with a TRADE event",
    run: async (client) => {
      const { alice, bob } = client;
      const events = await watchUser(client, alice.address);
      const id = await take(client, alice.limit(0, "1800", "2"));
      await take(client, bob.limit(1, "1800", "0.5"));
      await take(client, bob.limit(1, "1800", "1.5"));
      expect(await orderOf(client, id)).toMatchObject({ status: "FILLED", executedQty: "2" });
      expect((await events()).at(-1)).toMatchObject({ eventType: "TRADE", status: "FILLED" });
    },
  },
  {
    id: "C-3-07",
    line: "a cancel makes it CANCELED and keeps what had executed, with a CANCEL event",
    run: async (client) => {
      const { alice, bob } = client;
      const events = await watchUser(client, alice.address);
      const id = await take(client, alice.limit(0, "1800", "2"));
      await take(client, bob.limit(1, "1800", "0.5"));
      await take(client, alice.cancel(id));
      expect(await orderOf(client, id)).toMatchObject({ status: "CANCELED", executedQty: "0.5" });
      expect((await events()).at(-1)).toMatchObject({
        eventType: "CANCEL",
        status: "CANCELED",
        executedQty: "0.5",
      });
      expect(await money(client, alice, "2")).toEqual(["249100", "0"]);
    },
  },
  {
    id: "C-3-09",
    line: "one of an OCO pair that fills cancels the other",
    run: async (client) => {
      const { bob } = client;
      const [, takeProfit, stopLoss] = await withLegs(client);
      await take(client, bob.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1900", "1"));
      expect((await orderOf(client, takeProfit))["status"]).toBe("FILLED");
      expect((await orderOf(client, stopLoss))["status"]).toBe("CANCELED");
    },
  },
  {
    id: "C-3-10",
    line: "an OTO working leg that fills places its legs",
    run: async (client) => {
      const { alice, bob } = client;
      const [main, takeProfit, stopLoss] = await withLegs(client);
      expect((await openOrders(client, alice.address)).map(({ orderId }) => orderId)).toEqual([
        main,
      ]);
      await take(client, bob.limit(1, "1800", "1"));
      for (const leg of [takeProfit, stopLoss]) {
        expect((await orderOf(client, leg))["status"]).toBe("NEW");
      }
    },
  },
  {
    id: "C-3-11",
    line: "a session wallet is applied from create to delete or expiry; update moves the expiry only",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      const status = async () =>
        (await sessions(client, alice.address)).map(({ applied }) => applied);
      const named = { body: { name: "bot" } };
      expect((await client.send(alice.session(1, session, expiry, named))).status).toBe(200);
      expect(await status()).toEqual([true]);
      const update = alice.session(2, session, expiry + 1000, { body: { name: "other" } });
      expect((await client.send(update)).status).toBe(200);
      expect(await sessions(client, alice.address)).toMatchObject([
        { expiry: expiry + 1000, name: "bot", applied: true },
      ]);
      client.advance(1_999_000);
      expect(await status()).toEqual([true]);
      client.advance(2000);
      expect(await status()).toEqual([false]);
      expect((await client.send(alice.session(1, session, expiry + 9000))).status).toBe(200);
      expect((await client.send(alice.session(3, session, expiry + 9000))).status).toBe(200);
      expect(await status()).toEqual([false]);
    },
  },
];
