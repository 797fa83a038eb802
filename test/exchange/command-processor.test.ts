import { describe, expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { VerifiedTransaction } from "../../src/exchange/command.ts";
import {
  ETH,
  funds,
  money,
  NOW,
  testAddress,
  testExchange,
  testHash,
  transactionOf,
  outcomeOf,
} from "../support/exchange.ts";

const [alice, bob] = [testAddress(1), testAddress(2)];

function buy(
  nonce: number,
  txHash: OrderId,
  change: Partial<Parameters<typeof transactionOf>[0]> = {},
): VerifiedTransaction {
  return transactionOf({
    signer: alice,
    txHash,
    nonce,
    command: {
      name: "order",
      context: {
        l1owner: alice.toUpperCase().replace("0X", "0x"),
        baseToken: "1",
        quoteToken: "2",
        side: 0,
        price: "1000",
        quantity: "1",
        orderType: 0,
        orderMode: 0,
      },
    },
    ...change,
  });
}

describe("nonces (D6)", () => {
  test("a time nonce is valid once, within 60 s of the venue's clock", () => {
    const { exchange } = testExchange();
    expect(outcomeOf(exchange.submit(buy(NOW - 60_000, testHash(1)), NOW))).toBe("accepted");
    expect(outcomeOf(exchange.submit(buy(NOW + 60_000, testHash(2)), NOW))).toBe("accepted");
    expect(outcomeOf(exchange.submit(buy(NOW - 60_001, testHash(3)), NOW))).toBe("invalid");
    expect(outcomeOf(exchange.submit(buy(NOW + 60_001, testHash(4)), NOW))).toBe("invalid");
    expect(outcomeOf(exchange.submit(buy(NOW + 60_000, testHash(5)), NOW))).toBe("nonceUsed");
  });

  test("the window of time nonces is configurable", () => {
    const { exchange } = testExchange({ limits: { nonceWindowMs: 1000 } });
    expect(outcomeOf(exchange.submit(buy(NOW - 1001, testHash(1)), NOW))).toBe("invalid");
    expect(outcomeOf(exchange.submit(buy(NOW - 1000, testHash(1)), NOW))).toBe("accepted");
  });

  test("sequential nonces count up from 0 without a gap for each signer", () => {
    const { exchange } = testExchange();
    expect(outcomeOf(exchange.submit(buy(1, testHash(1)), NOW))).toBe("invalid");
    expect(outcomeOf(exchange.submit(buy(0, testHash(1)), NOW))).toBe("accepted");
    expect(outcomeOf(exchange.submit(buy(NOW, testHash(2)), NOW))).toBe("accepted");
    expect(outcomeOf(exchange.submit(buy(1, testHash(3)), NOW))).toBe("accepted");
    expect(outcomeOf(exchange.submit(buy(1, testHash(4)), NOW))).toBe("nonceUsed");
  });

  test("a repeated transaction gets its first result, however old it is, and is carried out once", () => {
    const { exchange } = testExchange();
    const first = exchange.submit(buy(NOW, testHash(1)), NOW);
    const again = exchange.submit(buy(NOW, testHash(1)), unixMs(NOW + 3_600_000));
    expect(again).toEqual(first);
    expect(exchange.blockNumber).toBe(1);
  });

  test("a transaction that is no longer remembered is refused because of its nonce", () => {
    const { exchange } = testExchange({ limits: { rememberedTransactions: 1 } });
    exchange.submit(buy(NOW, testHash(1)), NOW);
    exchange.submit(buy(NOW + 1, testHash(2)), NOW);
    expect(outcomeOf(exchange.submit(buy(NOW, testHash(1)), NOW))).toBe("nonceUsed");
  });

  test("each of many time nonces is refused again while it is in the window", () => {
    const { exchange } = testExchange({}, [["0", "100000000"]]);
    for (let at = 0; at < 2000; at += 1) {
      const now = unixMs(NOW + 100 * at);
      expect(outcomeOf(exchange.submit(buy(now, testHash(at)), now))).toBe("accepted");
      expect(
        outcomeOf(
          exchange.submit(buy(now - (now - NOW > 50_000 ? 50_000 : 0), testHash(9999)), now),
        ),
      ).toBe("nonceUsed");
    }
  });

  test("a refused command uses no nonce", () => {
    const { exchange } = testExchange();
    const cancel = { name: "cancel", context: { l1owner: alice, orderId: testHash(77) } } as const;
    expect(outcomeOf(exchange.submit(buy(0, testHash(1), { command: cancel }), NOW))).toBe(
      "notFound",
    );
    expect(outcomeOf(exchange.submit(buy(0, testHash(2)), NOW))).toBe("accepted");
  });
});

describe("authority (D7)", () => {
  test("a signer other than the owner is unauthorized", () => {
    const { exchange } = testExchange();
    expect(outcomeOf(exchange.submit(buy(NOW, testHash(1), { signer: bob }), NOW))).toBe(
      "unauthorized",
    );
    expect(exchange.blockNumber).toBe(0);
  });

  test("canceling another account's order is unauthorized", () => {
    const { exchange } = testExchange();
    exchange.submit(buy(NOW, testHash(1)), NOW);
    const command = { name: "cancel", context: { l1owner: bob, orderId: testHash(1) } } as const;
    expect(
      outcomeOf(
        exchange.submit(
          transactionOf({ signer: bob, txHash: testHash(2), nonce: NOW, command }),
          NOW,
        ),
      ),
    ).toBe("unauthorized");
  });
});

describe("commands", () => {
  test("cancel, cancel-all and modify work by transaction, with ids in any letter case (D4)", () => {
    const { exchange } = testExchange();
    const id = `0x${"ab".repeat(32)}` as OrderId;
    exchange.submit(buy(NOW, id), NOW);
    const upper = `0x${"AB".repeat(32)}`;
    const change = { l1owner: alice, orderId: upper, newPrice: "999", newQty: null };
    const modify = { name: "modify", context: change } as const;
    expect(exchange.submit(buy(NOW + 1, testHash(2), { command: modify }), NOW)).toMatchObject({
      type: "accepted",
      txHash: testHash(2),
    });
    expect(exchange.order(id)?.status).toBe("CANCELED");
    const cancel = { name: "cancel", context: { l1owner: alice, orderId: testHash(2) } } as const;
    expect(exchange.submit(buy(NOW + 2, testHash(3), { command: cancel }), NOW)).toMatchObject({
      txHash: testHash(3),
    });
    expect(exchange.order(testHash(2))?.status).toBe("CANCELED");
    const all = { name: "cancel-all", context: { l1owner: alice } } as const;
    expect(exchange.submit(buy(NOW + 3, testHash(4), { command: all }), NOW)).toMatchObject({
      txHash: testHash(4),
    });
  });

  test("the faucet funds an owner at its first transaction, before the order is checked (D33)", () => {
    const { exchange } = testExchange({ faucet: funds("10", "25000") }, []);
    expect(exchange.submit(buy(NOW, testHash(1)), NOW)).toMatchObject({
      type: "accepted",
      rejected: undefined,
    });
    expect(money(exchange, alice, ETH)).toBe("10/0");
  });
});
