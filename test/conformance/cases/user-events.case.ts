import { expect } from "vitest";
import { take, type Json, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import {
  expectFields,
  fieldCases,
  isAddress,
  isDecimal,
  isFlag,
  isHash,
  isInteger,
  isMarketId,
  isMs,
  isOrderType,
  isSide,
  isText,
  oneOf,
  type FieldRow,
  type Seen,
} from "../fields.ts";
import { watchUser } from "../scenes.ts";

/** Alice's events of an order's whole life, a second apart: NEW, TRADE, CANCEL, REJECTED. */
async function life(client: VenueClient): Promise<Seen> {
  const { alice, bob } = client;
  const events = await watchUser(client, alice.address);
  const start = client.nowMs();
  const id = await take(client, alice.limit(0, "1800", "2"));
  client.advance(1000);
  const sell = await take(client, bob.limit(1, "1795", "0.5"));
  client.advance(1000);
  const cancel = await take(client, alice.cancel(id));
  client.advance(1000);
  const bad = await take(client, alice.limit(0, "1.23456", "1"));
  const of = (eventType: string, at: number, txHash: string, change: Json): Json => ({
    topic: "ORDER",
    eventType,
    eventTime: start + 1000 * at,
    blockNumber: at + 1,
    accountAddress: alice.address,
    txHash,
    orderId: id,
    marketId: "1_2",
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    origPrice: "1800",
    origQty: "2",
    origQuoteOrderQty: "0",
    createdAt: start,
    executedQty: "0",
    executedQuoteQty: "0",
    lastPrice: "0",
    lastQty: "0",
    fee: "0",
    feeTokenId: null,
    tradeId: "",
    isMaker: false,
    ...change,
  });
  const executed = { executedQty: "0.5", executedQuoteQty: "900" };
  return {
    found: await events(),
    are: [
      of("NEW", 0, id, { status: "NEW" }),
      of("TRADE", 1, sell, {
        ...executed,
        status: "PARTIALLY_FILLED",
        lastPrice: "1800",
        lastQty: "0.5",
        fee: "0.0001",
        feeTokenId: "1",
        tradeId: "1",
        isMaker: true,
      }),
      of("CANCEL", 2, cancel, { ...executed, status: "CANCELED" }),
      of("REJECTED", 3, bad, {
        orderId: bad,
        status: "REJECTED",
        origPrice: "1.23456",
        origQty: "1",
        createdAt: start + 3000,
      }),
    ],
  };
}

const orderFields: readonly FieldRow[] = [
  ["orderId", "the order", isHash],
  ["marketId", "the market", isMarketId],
  ["side", "BUY or SELL", isSide],
  ["orderType", "type", isOrderType],
  ["orderMode", "0 or 1", oneOf(0, 1)],
  ["origPrice", "price of the order", isDecimal],
  ["origQty", "quantity of the order", isDecimal],
  ["origQuoteOrderQty", "the same in quote token", isDecimal],
  ["status", "what it is now", oneOf("NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED")],
  ["createdAt", "when made, ms", isMs],
  ["executedQty", "executed so far", isDecimal],
  ["executedQuoteQty", "the same in quote token", isDecimal],
  ["lastPrice", "price of this execution", isDecimal],
  ["lastQty", "quantity of this execution", isDecimal],
  ["fee", "fee of this execution", isDecimal],
  ["feeTokenId", "its token, null without a fee", oneOf(null, "1", "2")],
  ["tradeId", "the trade, empty without one", isText],
  ["isMaker", "did it rest", isFlag],
];

/** Bob's account events after what Alice does. */
async function accountEvents(
  client: VenueClient,
  act: () => Promise<unknown>,
  address = client.bob.address,
): Promise<readonly Json[]> {
  const events = await watchUser(client, address);
  await act();
  return events();
}

export const userEvents: readonly ConformanceCase[] = [
  ...fieldCases(
    "6.4",
    [
      ["topic", "ORDER or ACCOUNT", oneOf("ORDER")],
      ["eventType", "what happened", oneOf("NEW", "TRADE", "CANCEL", "REJECTED")],
      ["eventTime", "when, ms", isMs],
      ["blockNumber", "in which block", isInteger],
      ["accountAddress", "whose", isAddress],
      ["txHash", "which transaction", isHash],
    ],
    life,
  ),
  {
    id: "C-6.4-07",
    line: "an ORDER event has all eighteen fields, whatever its type",
    run: async (client) => {
      expectFields(orderFields, await life(client));
    },
  },
  {
    id: "C-6.4-09",
    line: "TRADE: cumulative quantities, and price, quantity, fee and trade of this execution",
    run: async (client) => {
      const { alice, bob } = client;
      const events = await watchUser(client, alice.address);
      await take(client, alice.limit(0, "1800", "2"));
      await take(client, bob.limit(1, "1800", "0.5"));
      await take(client, bob.limit(1, "1800", "1.5"));
      const [, first, second] = await events();
      const head = { eventType: "TRADE", lastPrice: "1800", feeTokenId: "1", isMaker: true };
      expect(first).toMatchObject({
        ...head,
        status: "PARTIALLY_FILLED",
        executedQty: "0.5",
        executedQuoteQty: "900",
        lastQty: "0.5",
        fee: "0.0001",
      });
      expect(second).toMatchObject({
        ...head,
        status: "FILLED",
        executedQty: "2",
        executedQuoteQty: "3600",
        lastQty: "1.5",
        fee: "0.0003",
      });
      expect(first?.["tradeId"]).not.toBe(second?.["tradeId"]);
    },
  },
  {
    id: "C-6.4-13",
    line: "an ACCOUNT event has token and amount, and from and to of a transfer only",
    venue: { faucet: { "1": "10", "2": "25000" } },
    run: async (client) => {
      const { alice, bob, carol } = client;
      const deposits = await accountEvents(client, () => Promise.resolve(), carol.address);
      expect(deposits).toHaveLength(2);
      for (const event of deposits) {
        expect(event).toMatchObject({ topic: "ACCOUNT" });
        expect(isText(event["tokenId"]) && isDecimal(event["amount"])).toBe(true);
        expect("fromAddress" in event || "toAddress" in event).toBe(false);
      }
      const moved = await accountEvents(client, () =>
        take(client, alice.sign("tokenTransfer", { to: bob.address, token: "2", value: "5" })),
      );
      expect(moved).toHaveLength(1);
      for (const event of moved) {
        expect(isAddress(event["fromAddress"]) && isAddress(event["toAddress"])).toBe(true);
      }
    },
  },
  {
    id: "C-6.4-14",
    line: "DEPOSIT: to whom it came in",
    venue: { faucet: { "2": "25000" } },
    run: async (client) => {
      const { carol } = client;
      const [event] = await accountEvents(client, () => Promise.resolve(), carol.address);
      expect(event).toMatchObject({ eventType: "DEPOSIT", tokenId: "2", amount: "25000" });
      expect(String(event?.["accountAddress"]).toLowerCase()).toBe(carol.address.toLowerCase());
    },
  },
  {
    id: "C-6.4-15",
    line: "WITHDRAW: who withdrew it",
    run: async (client) => {
      const { bob } = client;
      const context = { to: bob.address, token: "2", value: "5" };
      const signed = bob.sign("withdraw", context);
      const [event] = await accountEvents(client, () => take(client, signed));
      const head = { eventType: "WITHDRAW", txHash: signed.hash };
      expect(event).toMatchObject({ ...head, tokenId: "2", amount: "5" });
      expect(String(event?.["accountAddress"]).toLowerCase()).toBe(bob.address.toLowerCase());
      expect("fromAddress" in (event ?? {})).toBe(false);
    },
  },
  {
    id: "C-6.4-16",
    line: "TRANSFER: one event each for sender and receiver, each with its own account",
    run: async (client) => {
      const { alice, bob } = client;
      const [sender, receiver] = [
        await watchUser(client, alice.address),
        await watchUser(client, bob.address),
      ];
      const context = { to: bob.address, token: "2", value: "5" };
      const hash = await take(client, alice.sign("tokenTransfer", context));
      for (const [events, account] of [
        [await sender(), alice],
        [await receiver(), bob],
      ] as const) {
        expect(events).toMatchObject([
          { eventType: "TRANSFER", tokenId: "2", amount: "5", txHash: hash },
        ]);
        const text = (name: string) => String(events[0]?.[name]).toLowerCase();
        expect([text("accountAddress"), text("fromAddress"), text("toAddress")]).toEqual(
          [account, alice, bob].map(({ address }) => address.toLowerCase()),
        );
      }
    },
  },
];
