import { describe, expect, test } from "vitest";
import type { Address } from "../../src/domain/ids.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { Account } from "../../src/exchange/account.ts";
import { SharedHistory } from "../../src/exchange/shared-history.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import {
  ETH,
  funds,
  limit,
  NOW,
  stateOf,
  testAddress,
  testExchange,
  testHash,
  testMarket,
  WHOLE_HISTORY,
} from "../support/exchange.ts";

describe("the history that all accounts share", () => {
  test("is taken from the account whose history has not grown for the longest", () => {
    const held = new Map<Account, number>();
    const cleared: number[] = [];
    const shared = new SharedHistory(10, (account) => {
      cleared.push(account.number);
      const records = held.get(account) ?? 0;
      held.delete(account);
      return records;
    });
    const accounts = [0, 1, 2].map((number) => new Account(number, testAddress(number), false));
    const note = (number: number, times: number): void => {
      const account = accounts[number];
      if (account === undefined) return;
      for (let time = 0; time < times; time += 1) {
        held.set(account, (held.get(account) ?? 0) + 1);
        shared.note(account, false);
      }
    };
    note(0, 4);
    note(1, 4);
    note(0, 1);
    note(2, 2);
    expect(cleared).toEqual([1]);
    const order = shared.save("order");
    expect([order.row(0), order.row(1), order.size]).toEqual([testAddress(0), testAddress(2), 2]);
    // A record that replaces an older one of the same account takes no room.
    for (let time = 0; time < 50; time += 1) shared.note(accounts[2] as Account, true);
    expect(cleared).toEqual([1]);
    note(2, 30);
    expect(cleared).toEqual([1, 0]);
  });
});

describe("ended orders, executions and transfers of many funded accounts", () => {
  const owners = Array.from({ length: 100 }, (_, at) => testAddress(at + 1));
  const setUp = () =>
    testExchange({
      accounts: new Map(owners.map((owner) => [owner, funds("10", "100000")])),
      exemptAccounts: [],
      limits: { historyPerAccount: 50, historyOfAll: 200 },
    }).exchange;
  const rows = (exchange: Exchange, name: RegExp): number =>
    exchange.save().reduce((sum, part) => sum + (name.test(part.name) ? part.size : 0), 0);

  test("are bounded together, and a restored exchange goes on alike", () => {
    const exchange = setUp();
    let hash = 0;
    const trade = (venue: Exchange): void => {
      for (const [at, owner] of owners.entries()) {
        hash += 1;
        venue.execute(owner, limit(at % 2 === 0 ? "BUY" : "SELL", "1000", "1"), NOW, {
          txHash: testHash(hash),
        });
        venue.execute(
          owner,
          { type: "token-transfer", to: testAddress(1), tokenId: ETH, amount: fixed("0.01") },
          NOW,
        );
      }
    };
    for (let round = 0; round < 10; round += 1) trade(exchange);
    const records = rows(exchange, /^(ended-orders|user-trades)\//);
    expect(records).toBeLessThanOrEqual(200);
    expect(records).toBeGreaterThan(100);
    expect(rows(exchange, /^transfers$/)).toBeLessThanOrEqual(200);
    const [, early = testAddress(2)] = owners;
    const last = owners.at(-1) ?? early;
    expect(exchange.endedOrders(last, WHOLE_HISTORY).length).toBeGreaterThan(0);
    expect(exchange.userTrades(early, WHOLE_HISTORY)).toEqual([]);

    const restored = new Exchange({
      markets: [testMarket()],
      limits: { historyPerAccount: 50, historyOfAll: 200 },
    });
    const image = stateOf(exchange);
    restored.restore(<Row>(name: string) => (image[name] ?? []) as Row[]);
    const start = hash;
    trade(exchange);
    hash = start;
    trade(restored);
    expect(stateOf(restored)).toEqual(stateOf(exchange));
  });

  test("take nothing from accounts that are exempt, over a snapshot neither", () => {
    const [own, ...others] = owners as [Address, ...Address[]];
    const settings = {
      exemptAccounts: [own],
      limits: { historyPerAccount: 50, historyOfAll: 20 },
    };
    const accounts = new Map(owners.map((owner) => [owner, funds("10", "100000")]));
    const { exchange } = testExchange({ accounts, ...settings });
    const leaveHistory = (venue: Exchange, by: readonly Address[], from: number): void => {
      for (const [at, owner] of by.entries()) {
        const txHash = testHash(from + at);
        venue.execute(owner, limit("BUY", "1000", "1"), NOW, { txHash });
        venue.execute(owner, { type: "cancel", orderId: txHash }, NOW);
        venue.execute(
          owner,
          { type: "token-transfer", to: owner, tokenId: ETH, amount: fixed("1") },
          NOW,
        );
      }
    };
    leaveHistory(exchange, [own, ...others], 1);
    const restored = new Exchange({ markets: [testMarket()], ...settings });
    const image = stateOf(exchange);
    restored.restore(<Row>(name: string) => (image[name] ?? []) as Row[]);
    leaveHistory(restored, others, 1001);
    const transfers = { fromMs: 0, toMs: Infinity, limit: 10 };
    for (const venue of [exchange, restored]) {
      expect(venue.endedOrders(own, WHOLE_HISTORY)).toHaveLength(1);
      expect(venue.order(testHash(1))).toBeDefined();
      expect(venue.transfers(own, transfers)).toHaveLength(1);
      expect(rows(venue, /^transfers$/)).toBeLessThanOrEqual(21);
      expect(venue.endedOrders(others[0] as Address, WHOLE_HISTORY)).toEqual([]);
    }
  });
});
