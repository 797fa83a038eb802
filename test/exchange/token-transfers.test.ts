import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import {
  ETH,
  funds,
  limit,
  money,
  NOW,
  testAddress,
  testExchange,
  testHash,
  USDT,
  WHOLE_HISTORY,
} from "../support/exchange.ts";

const [alice, bob] = [testAddress(1), testAddress(2)];
const [A, B] = [testHash(1), testHash(2)];
const move = (amount: string, to = bob, token = USDT) => ({
  to,
  tokenId: token,
  amount: fixed(amount),
});

describe("transfers (§4.1, D12, D34)", () => {
  test("move the money, with events for both sides in one block, and appear in both lists", () => {
    const { exchange, blocks, last } = testExchange();
    expect(
      exchange.execute(alice, { type: "token-transfer", ...move("12.5") }, NOW, { txHash: A }),
    ).toMatchObject({ type: "accepted", txHash: A });
    expect([money(exchange, alice, USDT), money(exchange, bob, USDT)]).toEqual([
      "999987.5/0",
      "1000012.5/0",
    ]);
    expect(blocks).toHaveLength(1);
    const common = { tokenId: USDT, fromAddress: alice, toAddress: bob, txHash: A };
    expect(last().accountEvents).toMatchObject([
      { eventType: "TRANSFER", account: alice, ...common },
      { eventType: "TRANSFER", account: bob, ...common },
    ]);
    const record = {
      recordId: 1,
      fromAddress: alice,
      toAddress: bob,
      txType: "TOKEN_TRANSFER",
      tokenId: USDT,
      amount: fixed("12.5"),
      timeMs: NOW,
      txHash: A,
    };
    expect(exchange.transfers(alice, WHOLE_HISTORY)).toEqual([record]);
    expect(exchange.transfers(bob, WHOLE_HISTORY)).toEqual([record]);
  });

  test("move up to the exact unlocked amount; more than that and 0 are invalid", () => {
    const { exchange, blocks } = testExchange({}, [["0", "1000"]]);
    exchange.execute(alice, limit("BUY", "1", "400"), NOW);
    for (const amount of ["600.000000000000000001", "0"]) {
      expect(
        exchange.execute(alice, { type: "token-transfer", ...move(amount) }, NOW),
      ).toMatchObject({ reason: "invalid" });
      expect(exchange.execute(alice, { type: "withdraw", ...move(amount) }, NOW)).toMatchObject({
        reason: "invalid",
      });
    }
    expect(blocks).toHaveLength(1);
    expect(exchange.execute(alice, { type: "token-transfer", ...move("600") }, NOW)).toMatchObject({
      type: "accepted",
    });
    expect(money(exchange, alice, USDT)).toBe("0/400");
  });

  test("refuse unknown tokens as not found; known are those of the settings, or else of the markets", () => {
    const strange = move("1", bob, tokenId("9"));
    const { exchange } = testExchange();
    expect(exchange.execute(alice, { type: "token-transfer", ...strange }, NOW)).toMatchObject({
      reason: "notFound",
    });
    expect(exchange.execute(alice, { type: "withdraw", ...strange }, NOW)).toMatchObject({
      reason: "notFound",
    });
    const more = testExchange({ tokens: [ETH, USDT, tokenId("9")] }).exchange;
    expect(more.execute(alice, { type: "token-transfer", ...strange }, NOW)).toMatchObject({
      reason: "invalid",
    });
  });

  test("to oneself make two events and one record, and move no money", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, { type: "token-transfer", ...move("1000000", alice) }, NOW, {
      txHash: A,
    });
    expect(money(exchange, alice, USDT)).toBe("1000000/0");
    expect(last().accountEvents.map((event) => event.account)).toEqual([alice, alice]);
    expect(exchange.transfers(alice, WHOLE_HISTORY)).toHaveLength(1);
  });

  test("count the receiver as seen: the faucet funds it first, in a block of its own (D33)", () => {
    const { exchange, blocks } = testExchange({ faucet: funds("10", "25000") });
    const stranger = testAddress(77);
    exchange.execute(alice, { type: "token-transfer", ...move("1", stranger) }, NOW, { txHash: A });
    expect(money(exchange, stranger, USDT)).toBe("25001/0");
    expect(blocks.map((block) => block.accountEvents.map((event) => event.eventType))).toEqual([
      ["DEPOSIT", "DEPOSIT"],
      ["TRANSFER", "TRANSFER"],
    ]);
    // A refused transfer does not mark its receiver as seen.
    exchange.execute(alice, { type: "token-transfer", ...move("9999999", testAddress(78)) }, NOW);
    expect(exchange.balances(testAddress(78))).toEqual([]);
  });

  test("are listed newest first, by token, within the window including both ends, up to the limit", () => {
    const { exchange } = testExchange({ limits: { historyPerAccount: 3 } });
    for (const [at, token] of [ETH, USDT, ETH, USDT].entries()) {
      exchange.execute(
        alice,
        { type: "token-transfer", ...move(`${at + 1}`, bob, token) },
        unixMs(NOW + at),
        { txHash: testHash(at) },
      );
    }
    const amounts = (filter: object): string[] =>
      exchange
        .transfers(alice, { ...WHOLE_HISTORY, ...filter })
        .map((transfer) => fixedText(transfer.amount));
    expect(amounts({})).toEqual(["4", "3", "2"]);
    expect(amounts({ tokenId: USDT })).toEqual(["4", "2"]);
    expect(amounts({ fromMs: NOW + 1, toMs: NOW + 2 })).toEqual(["3", "2"]);
    expect(amounts({ limit: 1 })).toEqual(["4"]);
    expect(exchange.transfers(testAddress(99), WHOLE_HISTORY)).toEqual([]);
  });
});

describe("withdrawals (§4.1, D33, D35)", () => {
  test("remove the money at once, with an event, and conserve value", () => {
    const { exchange, last } = testExchange();
    expect(
      exchange.execute(alice, { type: "withdraw", ...move("250.75") }, NOW, { txHash: A }),
    ).toMatchObject({ txHash: A });
    expect(money(exchange, alice, USDT)).toBe("999749.25/0");
    expect(money(exchange, bob, USDT)).toBe("1000000/0");
    expect(last().accountEvents).toMatchObject([
      {
        eventType: "WITHDRAW",
        account: alice,
        tokenId: USDT,
        amount: fixed("250.75"),
        fromAddress: undefined,
        toAddress: undefined,
      },
    ]);
    for (const { held, deposited } of exchange.ledger.audit().values())
      expect(held).toBe(deposited);
    // Withdrawals are no transfers.
    expect(exchange.transfers(alice, WHOLE_HISTORY)).toEqual([]);
    expect(exchange.nextWithdrawal).toMatchObject({ txHash: A, acceptedAtMs: NOW, to: bob });
  });

  test("give an executed one's hash at every retry", () => {
    const { exchange, blocks } = testExchange();
    exchange.execute(alice, { type: "withdraw", ...move("1") }, NOW, { txHash: A });
    expect(exchange.retryWithdrawal(A, NOW)).toMatchObject({ reason: "invalid" });
    exchange.settleWithdrawal(A, "executed", NOW);
    expect(exchange.nextWithdrawal).toBeUndefined();
    expect(blocks).toHaveLength(2);
    const response = exchange.retryWithdrawal(A, NOW);
    expect(response).toEqual({
      type: "executed",
      l1Hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(exchange.retryWithdrawal(A, NOW)).toEqual(response);
    expect(blocks).toHaveLength(2);
    expect(exchange.retryWithdrawal(B, NOW)).toMatchObject({ reason: "notFound" });
  });

  test("execute a failed one at its retry under a new hash, once, in a block of its own", () => {
    const { exchange, blocks } = testExchange();
    exchange.execute(alice, { type: "withdraw", ...move("1") }, NOW, { txHash: A });
    exchange.execute(alice, { type: "withdraw", ...move("1") }, NOW, { txHash: B });
    exchange.settleWithdrawal(A, "failed", NOW);
    exchange.settleWithdrawal(B, "executed", NOW);
    const [first, again, other] = [A, A, B].map((hash) => exchange.retryWithdrawal(hash, NOW));
    expect(again).toEqual(first);
    expect(first).not.toEqual(other);
    expect(blocks).toHaveLength(5);
    // It never comes back to layer 2.
    expect(money(exchange, alice, USDT)).toBe("999998/0");
  });

  test("give 0x0 when another party executed it", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, { type: "withdraw", ...move("1") }, NOW, { txHash: A });
    exchange.settleWithdrawal(A, "executed-elsewhere", NOW);
    expect(exchange.retryWithdrawal(A, NOW)).toEqual({ type: "executed", l1Hash: "0x0" });
  });

  test("are remembered up to a limit, but those that wait are never forgotten", () => {
    const { exchange } = testExchange({ limits: { withdrawals: 2 } });
    for (const at of [1, 2, 3, 4]) {
      exchange.execute(alice, { type: "withdraw", ...move("1") }, NOW, { txHash: testHash(at) });
      if (at !== 1) exchange.settleWithdrawal(testHash(at), "failed", NOW);
    }
    const results = [1, 2, 3, 4].map((at) => exchange.retryWithdrawal(testHash(at), NOW));
    expect(results).toMatchObject([
      { reason: "invalid" },
      { reason: "notFound" },
      { reason: "notFound" },
      { type: "executed" },
    ]);
  });
});
