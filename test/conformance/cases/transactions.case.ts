import { expect } from "vitest";
import { expectRefused, expectTaken, money, orderOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { book, openOrders, print } from "../scenes.ts";
import { CONTRACT, type CommandKind } from "../wallet.ts";
import type { VenueClient } from "../client.ts";

/** A context of each command that the venue takes as it stands; the fields are those of §4.4's tables. */
export async function goodContext(
  client: VenueClient,
  kind: CommandKind,
): Promise<Readonly<Record<string, unknown>>> {
  const { alice, bob } = client;
  const market = { baseToken: "1", quoteToken: "2" };
  switch (kind) {
    case "order":
      return { ...market, side: 0, price: "1700", quantity: "1", orderType: 0, orderMode: 0 };
    case "cancel":
      return { orderId: await take(client, alice.limit(0, "1700", "1")) };
    case "cancelAll":
      return {};
    case "modify":
      return { orderId: await take(client, alice.limit(0, "1700", "1")), newPrice: "1710" };
    case "stop":
      await print(client, "1800");
      return {
        ...market,
        stopPrice: "1700",
        price: "1690",
        quantity: "1",
        side: 1,
        orderType: 0,
        orderMode: 0,
      };
    case "transfer":
      return { to: bob.address, value: "1" };
    case "tokenTransfer":
    case "withdraw":
      return { to: bob.address, token: "2", value: "1" };
    case "session":
      return {};
  }
}

/** Each row of a context's table: with the field it is taken, without it or with another type it is 400. */
function requiredField(
  id: string,
  kind: CommandKind,
  field: string,
  line: string,
): ConformanceCase {
  return {
    id,
    line: `${field}: ${line}`,
    run: async (client) => {
      const { alice } = client;
      const context = { l1owner: alice.address, ...(await goodContext(client, kind)) };
      const { [field]: value, ...without } = context as Record<string, unknown>;
      expect(value).toBeDefined();
      const other = typeof value === "number" ? String(value) : 5;
      for (const bad of [without, { ...context, [field]: other }, { ...context, [field]: null }]) {
        const text = JSON.stringify(bad);
        expectRefused(await client.send(alice.sign(kind, {}, { text })), 400);
      }
      expectTaken(await client.send(alice.sign(kind, context)));
    },
  };
}

/** The same of SessionContext, whose signature hangs on its fields. */
function sessionField(id: string, field: string, line: string): ConformanceCase {
  return {
    id,
    line: `${field}: ${line}`,
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      for (const value of [undefined, null, [], field === "l1owner" ? 5 : { a: 1 }]) {
        const context = { [field]: value };
        expectRefused(await client.send(alice.session(1, session, expiry, { context })), 400);
      }
      expect((await client.send(alice.session(1, session, expiry))).status).toBe(200);
    },
  };
}

export const transactions: readonly ConformanceCase[] = [
  {
    id: "C-4.4-01",
    line: "a change of state is a signed transaction to the fixed address, in hex in { tx }",
    run: async (client) => {
      const signed = client.alice.limit(0, "1800", "1");
      expect(signed.body.tx).toMatch(/^0x[0-9a-f]+$/);
      expectTaken(await client.send(signed));
    },
  },
  {
    id: "C-4.4-03",
    line: "to: the fixed address",
    run: async (client) => {
      const { alice } = client;
      expectTaken(await client.send(alice.order({}, { to: CONTRACT })));
      expectRefused(await client.send(alice.order({}, { to: alice.address })), 400);
    },
  },
  {
    id: "C-4.4-04",
    line: "data: one command byte, then the context as UTF-8 JSON",
    run: async (client) => {
      const { alice } = client;
      for (const text of ["", "{", "[]", "null", "5", '"x"', '{"l1owner"']) {
        expectRefused(await client.send(alice.order({}, { text })), 400);
      }
      const text = `{ "l1owner" : "${alice.address}" }`;
      expectTaken(await client.send(alice.sign("cancelAll", {}, { text })));
    },
  },
  {
    id: "C-4.4-05",
    line: "value: 0",
    run: async (client) => {
      expectRefused(await client.send(client.alice.order({}, { value: 1 })), 400);
    },
  },
  {
    id: "C-4.4-06",
    line: "gasLimit: any that is large enough; 0x30000",
    run: async (client) => {
      for (const gasLimit of [0x30000, 0x30001, 21_000, 30_000_000]) {
        expectTaken(await client.send(client.alice.order({ quantity: "0.1" }, { gasLimit })));
      }
    },
  },
  {
    id: "C-4.4-07",
    line: "gasPrice: 0; no native token is needed",
    run: async (client) => {
      expectRefused(await client.send(client.alice.order({}, { gasPrice: 1 })), 400);
      const { carol } = client;
      await take(
        client,
        client.alice.sign("tokenTransfer", {
          to: carol.address,
          token: "2",
          value: "2000",
        }),
      );
      expectTaken(await client.send(carol.limit(0, "1800", "1")));
      expect(await money(client, carol, "2")).toEqual(["200", "1800"]);
    },
  },
  {
    id: "C-4.4-09",
    line: "nonce: or the time in ms, in any order",
    run: async (client) => {
      const { alice } = client;
      const now = client.nowMs();
      for (const nonce of [now + 5, now, now - 1000, now + 4]) {
        expectTaken(await client.send(alice.order({ quantity: "0.1" }, { nonce })));
      }
    },
  },
  {
    id: "C-4.4-10",
    line: "chainId: the network's",
    run: async (client) => {
      for (const chainId of [1, 8217, 1002]) {
        expectRefused(await client.send(client.alice.order({}, { chainId })), 400);
      }
    },
  },
  {
    id: "C-4.4-11",
    line: "contexts are strict: a field that is not listed is refused",
    run: async (client) => {
      const { alice } = client;
      const kinds = ["order", "cancel", "cancelAll", "modify"] as const;
      for (const kind of kinds) {
        const context = await goodContext(client, kind);
        const more = { ...context, clientOrderId: "x" };
        expectRefused(await client.send(alice.sign(kind, more)), 400);
        expectTaken(await client.send(alice.sign(kind, context)));
      }
    },
  },
  {
    id: "C-4.4-12",
    line: "stop, transfer and session contexts are strict, too",
    run: async (client) => {
      const { alice, session } = client;
      for (const kind of ["stop", "transfer", "tokenTransfer"] as const) {
        const context = await goodContext(client, kind);
        expectRefused(await client.send(alice.sign(kind, { ...context, memo: "x" })), 400);
        expectTaken(await client.send(alice.sign(kind, context)));
      }
      const expiry = client.nowSec() + 1000;
      const named = alice.session(1, session, expiry, { context: { name: "x" } });
      expectRefused(await client.send(named), 400);
    },
  },
  {
    id: "C-4.4-13",
    line: "prices and quantities are in whole tokens, no smallest units",
    run: async (client) => {
      const id = await take(client, client.alice.limit(0, "1800.5", "0.25"));
      expect(await orderOf(client, id)).toMatchObject({ price: "1800.5", origQty: "0.25" });
      expect(await money(client, client.alice, "2")).toEqual(["249549.875", "450.125"]);
    },
  },
  sessionField("C-4.4-22", "type", "1, 2 or 3"),
  sessionField("C-4.4-23", "publickey", "address of the session wallet"),
  sessionField("C-4.4-24", "expiresAt", "end in seconds"),
  sessionField("C-4.4-25", "nonce", "that of the typed data and of the transaction"),
  sessionField("C-4.4-26", "l1owner", "address of the owner"),
  sessionField("C-4.4-27", "l1signature", "the owner's signature"),
  requiredField("C-4.4-28", "order", "l1owner", "whose order it is"),
  requiredField("C-4.4-29", "order", "baseToken", "base token"),
  requiredField("C-4.4-30", "order", "quoteToken", "quote token"),
  requiredField("C-4.4-31", "order", "side", "0 or 1"),
  requiredField("C-4.4-32", "order", "price", "limit price, 0 of a market order"),
  requiredField("C-4.4-33", "order", "quantity", "quantity by mode"),
  requiredField("C-4.4-34", "order", "orderType", "0 or 1"),
  requiredField("C-4.4-35", "order", "orderMode", "0 or 1"),
  {
    id: "C-4.4-36",
    line: "tpsl: may be left out, is an object",
    run: async (client) => {
      const { alice } = client;
      expectTaken(await client.send(alice.limit(0, "1800", "1")));
      const tpsl = { tpLimit: "1900", slTrigger: "1700" };
      expectTaken(await client.send(alice.limit(0, "1800", "1", { tpsl })));
      for (const bad of [null, 5, "x", [], {}]) {
        expectRefused(await client.send(alice.limit(0, "1800", "1", { tpsl: bad })), 400);
      }
    },
  },
  {
    id: "C-4.4-37",
    line: "tpsl: tpLimit and slTrigger are both required, and it is strict",
    run: async (client) => {
      for (const tpsl of [
        { tpLimit: "1900" },
        { slTrigger: "1700" },
        { tpLimit: 1900, slTrigger: "1700" },
        { tpLimit: "1900", slTrigger: null },
        { tpLimit: "1900", slTrigger: "1700", slLimit: null },
        { tpLimit: "1900", slTrigger: "1700", tpTrigger: "1900" },
      ]) {
        expectRefused(await client.send(client.alice.limit(0, "1800", "1", { tpsl })), 400);
      }
    },
  },
  {
    id: "C-4.4-40",
    line: "the last byte wraps without carry: fe gives ff and 00, ff gives 00 and 01",
    run: async (client) => {
      const { alice } = client;
      const tpsl = { tpLimit: "1900", slTrigger: "1700" };
      const endings = new Map([
        ["fe", ["ff", "00"]],
        ["ff", ["00", "01"]],
      ]);
      for (let tries = 0; tries < 5000 && endings.size > 0; tries += 1) {
        const signed = alice.limit(0, "1800", "0.01", { tpsl });
        const legs = endings.get(signed.hash.slice(-2));
        if (legs === undefined) continue;
        endings.delete(signed.hash.slice(-2));
        expectTaken(await client.send(signed));
        const types = [];
        for (const end of legs) {
          types.push((await orderOf(client, signed.hash.slice(0, -2) + end))["otoLegType"]);
        }
        expect(types).toEqual(["TP_LEG", "SL_LEG"]);
      }
      expect(endings.size).toBe(0);
    },
  },
  {
    id: "C-4.4-41",
    line: "CancelContext: l1owner and orderId",
    run: async (client) => {
      const { alice } = client;
      const orderId = await take(client, alice.limit(0, "1700", "1"));
      for (const text of [
        `{"l1owner":"${alice.address}"}`,
        `{"orderId":"${orderId}"}`,
        `{"l1owner":"${alice.address}","orderId":5}`,
      ]) {
        expectRefused(await client.send(alice.sign("cancel", {}, { text })), 400);
      }
      expectTaken(await client.send(alice.cancel(orderId)));
      expect((await orderOf(client, orderId))["status"]).toBe("CANCELED");
    },
  },
  {
    id: "C-4.4-42",
    line: "CancelAllContext: l1owner; all orders of that address",
    run: async (client) => {
      const { alice, bob } = client;
      expectRefused(await client.send(alice.sign("cancelAll", {}, { text: "{}" })), 400);
      for (const price of ["1700", "1600"]) await take(client, alice.limit(0, price, "1"));
      const others = await take(client, bob.limit(0, "1500", "1"));
      await take(client, alice.sign("cancelAll", {}));
      expect(await openOrders(client, alice.address)).toEqual([]);
      expect((await orderOf(client, others))["status"]).toBe("NEW");
    },
  },
  {
    id: "C-4.4-43",
    line: "ModifyContext: l1owner and orderId are required",
    run: async (client) => {
      const { alice } = client;
      const orderId = await take(client, alice.limit(0, "1700", "1"));
      for (const text of [
        `{"l1owner":"${alice.address}","newPrice":"1710"}`,
        `{"orderId":"${orderId}","newPrice":"1710"}`,
        `{"l1owner":"${alice.address}","orderId":"${orderId}","newPrice":1710}`,
        `{"l1owner":"${alice.address}","orderId":"${orderId}","newQty":5}`,
      ]) {
        expectRefused(await client.send(alice.sign("modify", {}, { text })), 400);
      }
    },
  },
  {
    id: "C-4.4-44",
    line: "ModifyContext: newPrice or newQty that is null or left out keeps its value",
    run: async (client) => {
      const { alice } = client;
      let id = await take(client, alice.limit(0, "1700", "1"));
      for (const [context, price, origQty] of [
        [{ newPrice: "1710" }, "1710", "1"],
        [{ newQty: "2" }, "1710", "2"],
        [{ newPrice: null, newQty: "3" }, "1710", "3"],
        [{ newPrice: "1720", newQty: null }, "1720", "3"],
        [{ newPrice: "1730", newQty: "4" }, "1730", "4"],
      ] as const) {
        id = await take(client, alice.modify(id, context));
        expect(await orderOf(client, id)).toMatchObject({ status: "NEW", price, origQty });
      }
    },
  },
  {
    id: "C-4.4-45",
    line: "modify cancels and replaces; the new id is the hash of the modify",
    run: async (client) => {
      const { alice } = client;
      const id = await take(client, alice.limit(0, "1700", "1"));
      const signed = alice.modify(id, { newPrice: "1710" });
      expect((await client.send(signed)).result).toBe(signed.hash);
      expect((await orderOf(client, id))["status"]).toBe("CANCELED");
      expect(await orderOf(client, signed.hash)).toMatchObject({ status: "NEW", price: "1710" });
      expect((await book(client)).bids).toEqual(["1710 x 1"]);
    },
  },
  requiredField("C-4.4-46", "stop", "l1owner", "whose order it is"),
  requiredField("C-4.4-47", "stop", "baseToken", "base token"),
  requiredField("C-4.4-48", "stop", "quoteToken", "quote token"),
  requiredField("C-4.4-49", "stop", "stopPrice", "trigger price"),
  requiredField("C-4.4-50", "stop", "price", "limit price once triggered, 0 for market"),
  requiredField("C-4.4-51", "stop", "quantity", "quantity"),
  requiredField("C-4.4-52", "stop", "side", "0 or 1"),
  requiredField("C-4.4-53", "stop", "orderType", "0 or 1"),
  requiredField("C-4.4-54", "stop", "orderMode", "0 or 1"),
  requiredField("C-4.4-56", "tokenTransfer", "l1owner", "whose money it is"),
  requiredField("C-4.4-57", "tokenTransfer", "to", "who gets it"),
  requiredField("C-4.4-58", "tokenTransfer", "token", "which token"),
  requiredField("C-4.4-59", "tokenTransfer", "value", "how much"),
];
