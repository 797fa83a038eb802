import { describe, expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { VerifiedTransaction } from "../../src/exchange/command.ts";
import {
  NOW,
  testAddress,
  testExchange,
  testHash,
  transactionOf,
  outcomeOf,
} from "../support/exchange.ts";

const alice = testAddress(1);

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
  test("the window of time nonces is configurable", () => {
    const { exchange } = testExchange({ limits: { nonceWindowMs: 1000 } });
    expect(outcomeOf(exchange.submit(buy(NOW - 1001, testHash(1)), NOW))).toBe("invalid");
    expect(outcomeOf(exchange.submit(buy(NOW - 1000, testHash(1)), NOW))).toBe("accepted");
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
});
