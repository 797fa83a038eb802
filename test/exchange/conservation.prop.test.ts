import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed, fixedText, type Fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import {
  ETH,
  ETH_USDT,
  levels,
  NOW,
  testAddress,
  testExchange,
  testHash,
  USDT,
} from "../support/exchange.ts";
import { NaiveExchange } from "./naive-exchange.ts";

const ACCOUNTS = 20;
const ORDERS = 10_000;
const START: [string, string] = ["300", "300000"];

/** Random limit, market, cancel and modify from 20 accounts, the same into both exchanges. */
test.each([1, 2])("matching conserves value and agrees with the naive book, seed %i", (seed) => {
  const random = new Prng(seed);
  const { exchange } = testExchange(
    { limits: { historyPerAccount: ORDERS } },
    Array.from({ length: ACCOUNTS }, () => START),
  );
  const naive = new NaiveExchange(ACCOUNTS, fixed(START[0]), fixed(START[1]));
  const ids: OrderId[] = [];

  for (let at = 1; at <= ORDERS; at += 1) {
    const hash = testHash(at);
    const account = random.int(0, ACCOUNTS - 1);
    const address = testAddress(account + 1);
    const side = random.chance(0.5) ? ("BUY" as const) : ("SELL" as const);
    const price = fixed((1000 + random.int(-25, 25) / 10).toFixed(1));
    const quantity = randomQuantity(random);
    const kind = random.unit();
    const base = { marketId: ETH_USDT, side, orderMode: 0 as const };
    if (kind < 0.5) {
      exchange.place(address, { ...base, orderType: "LIMIT", price, quantity }, NOW, {
        txHash: hash,
      });
      naive.place(hash, account, side, price, quantity, false);
      ids.push(hash);
    } else if (kind < 0.65) {
      const inQuote = random.chance(0.5);
      const size = inQuote ? ((quantity * 1000n) as Fixed) : quantity;
      exchange.place(
        address,
        {
          ...base,
          orderType: "MARKET",
          orderMode: inQuote ? 1 : 0,
          price: fixed("0"),
          quantity: size,
        },
        NOW,
        { txHash: hash },
      );
      naive.place(hash, account, side, undefined, size, inQuote);
      ids.push(hash);
    } else if (ids.length > 0) {
      // Rather a recent order than an old one, so that many are still open.
      const id = ids[Math.max(0, ids.length - 1 - Math.floor(random.exponential(30)))] as OrderId;
      const target = naive.orders.get(id);
      if (target === undefined) continue;
      const owner = testAddress(target.account + 1);
      const wasOpen = target.status === "NEW" || target.status === "PARTIALLY_FILLED";
      if (kind < 0.85) {
        const answer = exchange.cancel(owner, id, NOW, hash);
        expect(answer.code).toBe(wasOpen ? 200 : 400);
        naive.cancel(id);
      } else {
        const total = (target.executed + quantity) as Fixed;
        const answer = exchange.modify(owner, id, { price, quantity: total }, NOW, {
          txHash: hash,
        });
        expect(answer.code).toBe(wasOpen ? 200 : 400);
        if (wasOpen) {
          naive.cancel(id);
          naive.place(hash, target.account, target.side, price, quantity, false);
          ids.push(hash);
        }
      }
    }
    if (at % 500 === 0) compare();
  }

  const statuses = new Set([...naive.orders.values()].map((order) => order.status));
  expect(statuses).toEqual(new Set(["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED"]));

  function compare(): void {
    for (const { held, deposited } of exchange.ledger.audit().values())
      expect(held).toBe(deposited);
    for (let account = 0; account < ACCOUNTS; account += 1) {
      const [lockedBase, lockedQuote] = naive.locked(account);
      const balances = new Map(
        exchange.balances(testAddress(account + 1)).map((line) => [line.tokenId, line]),
      );
      const [eth, usdt] = [balances.get(ETH), balances.get(USDT)];
      expect([eth?.locked, usdt?.locked]).toEqual([lockedBase, lockedQuote]);
      expect((eth?.unlocked ?? 0n) + lockedBase).toBe(naive.base[account]);
      expect((usdt?.unlocked ?? 0n) + lockedQuote).toBe(naive.quote[account]);
      expect((eth?.unlocked ?? -1n) >= 0n && (usdt?.unlocked ?? -1n) >= 0n).toBe(true);
    }
    expect(levels(exchange, "BUY")).toEqual(naiveLevels("BUY"));
    expect(levels(exchange, "SELL")).toEqual(naiveLevels("SELL"));
    for (const order of naive.orders.values()) {
      const ours = exchange.order(order.id as OrderId);
      expect([order.id, ours?.status, ours?.executedQty]).toEqual([
        order.id,
        order.status,
        order.executed,
      ]);
    }
  }

  function naiveLevels(side: "BUY" | "SELL"): [number, string][] {
    const sums = new Map<number, bigint>();
    for (const order of naive.open()) {
      if (order.side !== side) continue;
      const price = Number(fixedText(order.price));
      sums.set(price, (sums.get(price) ?? 0n) + order.remaining);
    }
    return [...sums]
      .sort(([left], [right]) => (side === "BUY" ? right - left : left - right))
      .map(([price, sum]) => [price, fixedText(sum as Fixed)]);
  }
});

/** Sizes with few and with many decimals, so that fees need rounding. */
function randomQuantity(random: Prng): Fixed {
  const decimals = random.pick([2, 4, 8, 18]);
  const whole = random.int(0, 3);
  const fraction = Array.from({ length: decimals }, () => random.int(0, 9)).join("");
  return fixed(`${whole}.${fraction.replace(/^0/, "1")}`);
}
