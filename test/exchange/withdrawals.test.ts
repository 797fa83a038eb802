import { expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { NOW, testAddress, testExchange, testHash, USDT } from "../support/exchange.ts";

const alice = testAddress(1);
const withdrawal = { to: testAddress(2), tokenId: USDT, amount: fixed("1") };

test("withdrawals are remembered up to a limit, but those that wait are never forgotten", () => {
  const { exchange } = testExchange({ limits: { withdrawals: 2 } });
  for (const at of [1, 2, 3, 4]) {
    exchange.execute(alice, { type: "withdraw", ...withdrawal }, NOW, { txHash: testHash(at) });
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
