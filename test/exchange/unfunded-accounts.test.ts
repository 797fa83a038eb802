import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, OrderId } from "../../src/domain/ids.ts";
import { unixMs, unixSec, type UnixMs } from "../../src/domain/time.ts";
import type { VerifiedTransaction } from "../../src/exchange/command.ts";
import type { ExchangeLimits } from "../../src/exchange/config.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import {
  ETH,
  funds,
  NOW,
  testExchange,
  testHash,
  transactionOf,
  testMarket,
  outcomeOf,
} from "../support/exchange.ts";

/** Signers without money leave nothing behind when they are refused, and a bounded amount when they are not. */

const address = (number: number): Address =>
  `0x${number.toString(16).padStart(40, "0")}` as Address;
const rich = address(0xffff);

function signed(
  number: number,
  txHash: OrderId,
  nonce: number,
  name: "order" | "cancel" | "cancel-all" | "session",
): VerifiedTransaction {
  const signer = address(number);
  const l1owner = signer;
  const order = {
    l1owner,
    baseToken: "1",
    quoteToken: "2",
    side: 0,
    price: "1000",
    quantity: "1",
    orderType: 0,
    orderMode: 0,
  } as const;
  const session = {
    type: 1,
    publickey: address(number + 1_000_000),
    expiresAt: unixSec(NOW / 1000 + 1e6),
    nonce,
    l1owner,
    l1signature: "0x",
  } as const;
  const command = {
    order: { name: "order", context: order },
    cancel: { name: "cancel", context: { l1owner, orderId: testHash(123_456_789) } },
    "cancel-all": { name: "cancel-all", context: { l1owner } },
    session: { name: "session", context: session },
  } as const;
  return transactionOf({
    signer,
    txHash,
    nonce,
    command: command[name],
    ...(name === "session" ? { session: { l1signer: signer, name: "" } } : {}),
  });
}

/** An exchange where only `rich` has money; `rows` counts the rows of its state. */
function poorHouse(limits: Partial<ExchangeLimits> = {}, faucet = new Map()) {
  const { exchange } = testExchange({
    accounts: new Map([[rich, funds("1000", "1000000")]]),
    faucet,
    limits: { rememberedTransactions: 10, ...limits },
  });
  const rows = (): number => exchange.save().reduce((sum, part) => sum + part.size, 0);
  return { exchange, rows };
}

describe("refused commands", () => {
  test("from unknown signers leave nothing behind", () => {
    const { exchange, rows } = poorHouse();
    const before = rows();
    for (let at = 1; at <= 500; at += 1) {
      expect(outcomeOf(exchange.submit(signed(at, testHash(at), NOW, "cancel"), NOW))).toBe(
        "notFound",
      );
      expect(outcomeOf(exchange.submit(signed(at, testHash(at), 7, "order"), NOW))).toBe("invalid");
    }
    expect(rows()).toBe(before);
    expect(exchange.blockNumber).toBe(0);
  });

  test("reading an address leaves nothing behind", () => {
    const { exchange, rows } = poorHouse();
    const before = rows();
    const all = { fromMs: 0, toMs: NOW, limit: 100 };
    for (let at = 1; at <= 500; at += 1) {
      exchange.see(address(at), NOW);
      expect(exchange.balances(address(at))).toEqual([]);
      expect(exchange.openOrders(address(at), all)).toEqual([]);
      expect(exchange.sessions(address(at), NOW)).toEqual([]);
    }
    expect(rows()).toBe(before);
  });
});

describe("unfunded accounts", () => {
  test("have their orders recorded, until there are too many of them", () => {
    const { exchange } = poorHouse({ unfundedCommands: 10 });
    const all = { fromMs: 0, toMs: NOW, limit: 100 };
    for (let at = 1; at <= 11; at += 1) {
      expect(outcomeOf(exchange.submit(signed(at, testHash(at), NOW, "order"), NOW))).toBe(
        "accepted",
      );
      expect(exchange.order(testHash(at))?.status).toBe("REJECTED");
    }
    // The first account is forgotten completely, the second is there.
    expect(exchange.order(testHash(1))).toBeUndefined();
    expect(exchange.endedOrders(address(1), all)).toEqual([]);
    expect(exchange.endedOrders(address(2), all)).toHaveLength(1);
    expect(exchange.order(testHash(2))?.status).toBe("REJECTED");
  });

  test("are forgotten with their sessions, the one idle longest first; funded accounts stay", () => {
    const { exchange } = poorHouse({ unfundedCommands: 3 });
    exchange.submit(signed(1, testHash(1), NOW, "session"), NOW);
    exchange.submit(signed(2, testHash(2), NOW, "session"), NOW);
    exchange.submit(signed(3, testHash(3), NOW, "session"), NOW);
    exchange.submit(signed(1, testHash(4), NOW + 1, "cancel-all"), NOW);
    // Four commands are one too many, and account 2 was idle longest.
    expect([1, 2, 3].map((at) => exchange.sessions(address(at), NOW).length)).toEqual([1, 0, 1]);
    exchange.deposit(address(3), new Map([[ETH, fixed("1")]]), NOW);
    for (let at = 10; at < 20; at += 1) {
      exchange.submit(signed(at, testHash(at), NOW, "cancel-all"), NOW);
    }
    expect([1, 3].map((at) => exchange.sessions(address(at), NOW).length)).toEqual([0, 1]);
    expect(exchange.balances(address(3))).toHaveLength(1);
  });

  test("with a long history do not crowd out others for good", () => {
    const { exchange } = poorHouse({ unfundedCommands: 20, historyPerAccount: 10 });
    for (let at = 0; at < 100; at += 1) {
      exchange.submit(signed(1, testHash(at + 1), NOW + at, "order"), NOW);
    }
    for (let at = 2; at <= 11; at += 1) {
      exchange.submit(signed(at, testHash(1000 + at), NOW, "order"), NOW);
    }
    expect(exchange.order(testHash(1002))?.status).toBe("REJECTED");
    expect(exchange.order(testHash(100))?.status).toBe("REJECTED");
  });

  test("stay within the memory limit, however many there are within an hour", () => {
    const { exchange, rows } = poorHouse({ unfundedCommands: 50 });
    const seen: number[] = [];
    for (let at = 1; at <= 6000; at += 1) {
      const now = unixMs(NOW + 600 * at);
      const name = (["order", "cancel-all", "session"] as const)[at % 3] ?? "order";
      expect(outcomeOf(exchange.submit(signed(at, testHash(at), now, name), now))).toBe("accepted");
      if (at % 1000 === 0) seen.push(rows());
    }
    // After 60 s, when the nonce window is full, it no longer grows.
    expect(Math.max(...seen)).toBeLessThan(600);
  });

  test("include all addresses beyond the faucet's limit", () => {
    const { exchange, rows } = poorHouse(
      { accounts: 20, unfundedCommands: 10 },
      funds("10", "25000"),
    );
    for (let at = 1; at <= 500; at += 1) exchange.see(address(at), NOW);
    const full = rows();
    expect(exchange.balances(address(19))).toHaveLength(2);
    expect(exchange.balances(address(20))).toEqual([]);
    for (let at = 1000; at <= 1500; at += 1) exchange.see(address(at), NOW);
    expect(rows()).toBe(full);
    const late = signed(400, testHash(1), NOW, "order");
    expect(exchange.submit(late, NOW)).toMatchObject({
      type: "accepted",
      rejected: expect.stringContaining("unlocked are 0"),
    });
  });

  test("get no transfers beyond the limit of accounts, while known accounts still do", () => {
    const { exchange } = poorHouse({ holders: 10 });
    const give = (to: number) =>
      exchange.execute(
        rich,
        { type: "token-transfer", to: address(to), tokenId: ETH, amount: fixed("1") },
        NOW,
      );
    const outcomes = Array.from({ length: 12 }, (_, at) => outcomeOf(give(at + 1)));
    expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(8);
    expect(outcomes.at(-1)).toBe("invalid");
    expect(outcomeOf(give(1))).toBe("accepted");
  });

  test("are kept in snapshots, with the order in which they are forgotten", () => {
    const limits = { unfundedCommands: 5, rememberedTransactions: 10 };
    const config = { markets: [testMarket()], limits };
    const first = new Exchange(config);
    for (const at of [1, 2, 3, 1, 4]) {
      first.submit(signed(at, testHash(100 + at), NOW + at, "order"), NOW);
      first.submit(signed(at, testHash(200 + at), NOW + 10 + at, "cancel-all"), NOW);
    }
    const parts = new Map(
      first
        .save()
        .map((part) => [
          part.name,
          Array.from({ length: part.size }, (_, at) => JSON.stringify(part.row(at))),
        ]),
    );
    const second = new Exchange(config);
    second.restore(<Row>(name: string) =>
      (parts.get(name) ?? []).map((text) => JSON.parse(text) as Row),
    );
    for (const exchange of [first, second]) {
      exchange.submit(signed(9, testHash(900), NOW, "order"), NOW);
    }
    const orders = (exchange: Exchange) =>
      [101, 102, 103, 104, 900].map((at) => exchange.order(testHash(at))?.status);
    expect(orders(second)).toEqual(orders(first));
    expect(orders(second)).toContain(undefined);
    expect(orders(second)).toContain("REJECTED");
  });
});

describe("nonces", () => {
  test("of a signer outside the window are forgotten, while sequential ones are kept", () => {
    const { exchange } = poorHouse();
    const nonces = (): number =>
      exchange.save().find(({ name }) => name === "nonces")?.size ?? Number.NaN;
    const later = (seconds: number): UnixMs => unixMs(NOW + 1000 * seconds);
    exchange.submit(signed(1, testHash(1), 0, "cancel-all"), NOW);
    for (let at = 2; at <= 200; at += 1) {
      exchange.submit(signed(at, testHash(at), NOW, "cancel-all"), NOW);
    }
    expect(nonces()).toBe(200);
    for (let at = 300; at < 500; at += 1) {
      const now = later(61);
      exchange.submit(signed(at, testHash(at), now, "cancel-all"), now);
    }
    expect(nonces()).toBeLessThanOrEqual(202);
    expect(outcomeOf(exchange.submit(signed(1, testHash(1000), 0, "cancel-all"), later(61)))).toBe(
      "nonceUsed",
    );
    expect(outcomeOf(exchange.submit(signed(1, testHash(1001), 1, "cancel-all"), later(61)))).toBe(
      "accepted",
    );
  });

  test("are counted for a limited number of signers; further signers have to use time nonces", () => {
    const { exchange } = poorHouse({ signers: 3 });
    const outcomes = [1, 2, 3, 4].map((at) =>
      outcomeOf(exchange.submit(signed(at, testHash(at), 0, "cancel-all"), NOW)),
    );
    expect(outcomes).toEqual(["accepted", "accepted", "accepted", "invalid"]);
    expect(outcomeOf(exchange.submit(signed(4, testHash(5), NOW, "cancel-all"), NOW))).toBe(
      "accepted",
    );
    expect(outcomeOf(exchange.submit(signed(1, testHash(6), 1, "cancel-all"), NOW))).toBe(
      "accepted",
    );
  });

  test("are counted for accounts that are exempt, however many others there are", () => {
    const { exchange } = poorHouse({ signers: 1 });
    const outcome = (number: number, hash: number, nonce: number) =>
      outcomeOf(exchange.submit(signed(number, testHash(hash), nonce, "cancel-all"), NOW));
    expect(outcome(1, 1, 0)).toBe("accepted");
    expect(outcome(2, 2, 0)).toBe("invalid");
    expect(outcome(0xffff, 3, 0)).toBe("accepted");
    expect(outcome(0xffff, 4, 0)).toBe("nonceUsed");
    expect(outcome(0xffff, 5, 2)).toBe("invalid");
    expect(outcome(0xffff, 6, 1)).toBe("accepted");
  });
});
