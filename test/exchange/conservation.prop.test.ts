import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed, fixedText, type Fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { isTerminal } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import type { ExchangeCommand, TpslRequest } from "../../src/exchange/command.ts";
import {
  ETH,
  ETH_USDT,
  levels,
  NOW,
  testAddress,
  testExchange,
  testHash,
  USDT,
  outcomeOf,
} from "../support/exchange.ts";
import { NaiveExchange, type NaiveTpsl } from "./naive-exchange.ts";

const ACCOUNTS = 20;
const ORDERS = 10_000;
const START: [string, string] = ["300", "300000"];

/** Random commands of all kinds from 20 accounts; both exchanges get the same ones. */
test.each([1, 2])("matching conserves value and agrees with the naive book, seed %i", (seed) => {
  const random = new Prng(seed);
  const { exchange } = testExchange(
    { limits: { historyPerAccount: 3 * ORDERS } },
    Array.from({ length: ACCOUNTS }, () => START),
  );
  const naive = new NaiveExchange(ACCOUNTS, fixed(START[0]), fixed(START[1]));
  const ids: OrderId[] = [];
  const done = new Map<string, number>();
  const count = (what: string): void => void done.set(what, (done.get(what) ?? 0) + 1);
  const price = (around = 1000, width = 25): Fixed =>
    fixed((around + random.int(-width, width) / 10).toFixed(1));

  for (let at = 1; at <= ORDERS; at += 1) {
    // Derived ids end in 01 and 02.
    const hash = testHash(at * 256);
    const account = random.int(0, ACCOUNTS - 1);
    const side = random.pick(["BUY", "SELL"] as const);
    const quantity = randomQuantity(random);
    const kind = random.unit();
    if (kind < 0.32) place("LIMIT", undefined, undefined);
    else if (kind < 0.44) place("MARKET", undefined, undefined);
    else if (kind < 0.52) place("LIMIT", price(1000, 40), undefined);
    else if (kind < 0.6) place("MARKET", price(1000, 40), undefined);
    else if (kind < 0.72) {
      const limit = price();
      place("LIMIT", undefined, legs(side, limit), limit);
    } else if (kind < 0.9) {
      // Prefers recent orders, since more of them are still open.
      const id = ids[Math.max(0, ids.length - 1 - Math.floor(random.exponential(40)))];
      const target = id === undefined ? undefined : naive.orders.get(id);
      if (id !== undefined && target !== undefined) {
        if (kind < 0.82) cancel(id, target.account);
        else modify(id, target.account, (target.executed + quantity) as Fixed);
      }
    } else if (kind < 0.91) {
      exchange.execute(testAddress(account + 1), { type: "cancel-all" }, NOW, { txHash: hash });
      naive.cancelAll(account);
      count("cancel-all");
    } else {
      move();
    }
    if (at % 250 === 0) compare();

    function place(
      orderType: "LIMIT" | "MARKET",
      stopPrice: Fixed | undefined,
      tpsl: TpslRequest | undefined,
      limit = price(),
    ): void {
      const isLimit = orderType === "LIMIT";
      const inQuote = !isLimit && random.chance(0.5);
      const size = inQuote ? ((quantity * 1000n) as Fixed) : quantity;
      const terms = {
        marketId: ETH_USDT,
        side,
        orderType,
        orderMode: inQuote ? (1 as const) : (0 as const),
        price: isLimit ? limit : fixed("0"),
        quantity: size,
      };
      const command: ExchangeCommand =
        stopPrice === undefined
          ? { type: "place", ...terms, tpsl }
          : { type: "stop", ...terms, stopPrice };
      const response = exchange.execute(testAddress(account + 1), command, NOW, { txHash: hash });
      expect(outcomeOf(response)).toBe("accepted");
      naive.place(hash, {
        account,
        side,
        price: isLimit ? limit : undefined,
        quantity: size,
        inQuote,
        stopPrice,
        tpsl: tpsl === undefined ? undefined : { ...tpsl, ids: legIds(hash) },
      });
      ids.push(hash);
      if (naive.orders.get(hash)?.legs !== undefined) ids.push(...legIds(hash));
    }

    function cancel(id: OrderId, owner: number): void {
      const response = exchange.execute(
        testAddress(owner + 1),
        { type: "cancel", orderId: id },
        NOW,
        { txHash: hash },
      );
      expect(outcomeOf(response)).toBe(naive.cancelCommand(id) ? "accepted" : "invalid");
    }

    function modify(id: OrderId, owner: number, total: Fixed): void {
      const limit = price();
      const change = { price: limit, quantity: total };
      const response = exchange.execute(
        testAddress(owner + 1),
        { type: "modify", orderId: id, ...change },
        NOW,
        { txHash: hash },
      );
      const isTaken = naive.modify(id, hash, legIds(hash), limit, total);
      expect(outcomeOf(response)).toBe(isTaken ? "accepted" : "invalid");
      if (!isTaken) return;
      ids.push(hash);
      count("modify");
      if (naive.orders.get(hash)?.legs !== undefined) ids.push(...legIds(hash));
    }

    function move(): void {
      const free = naive.free(account, side);
      // All of it, a part of it, or one digit too much.
      const amount = random.pick([free, (free / 7n / 10n ** 8n) * 10n ** 8n, free + 10n ** 8n]);
      const isOut = random.chance(0.3);
      const to = random.int(0, ACCOUNTS - 1);
      const request = {
        to: testAddress(to + 1),
        tokenId: side === "SELL" ? ETH : USDT,
        amount: amount as Fixed,
      };
      const from = testAddress(account + 1);
      const response = isOut
        ? exchange.execute(from, { type: "withdraw", ...request }, NOW, { txHash: hash })
        : exchange.execute(from, { type: "token-transfer", ...request }, NOW, { txHash: hash });
      const isTaken =
        amount > 0n && naive.move(account, isOut ? undefined : to, side, amount as Fixed);
      expect(outcomeOf(response)).toBe(isTaken ? "accepted" : "invalid");
      count(isTaken ? (isOut ? "withdraw" : "transfer") : "refused move");
      if (!isOut || !isTaken) return;
      // Deposited again, so that the accounts do not run dry.
      exchange.deposit(from, new Map([[request.tokenId, request.amount]]), NOW);
      naive.move(account, undefined, side, -amount as Fixed);
    }
  }

  /** Mostly on the right sides of the price. */
  function legs(side: Side, around: Fixed): TpslRequest {
    const step = (least: number): Fixed =>
      (BigInt(random.int(least, 20)) * fixed("0.1") * (side === "BUY" ? 1n : -1n)) as Fixed;
    const slTrigger = (around - step(0)) as Fixed;
    return {
      tpLimit: (around + step(0)) as Fixed,
      slTrigger,
      slLimit: random.chance(0.5) ? ((slTrigger + step(-20)) as Fixed) : undefined,
    };
  }

  const all = [...naive.orders.values()];
  const ended = (given: typeof all): number =>
    given.filter((order) => order.status === "FILLED").length;
  // The run covered every kind of event.
  expect(new Set(all.map((order) => order.status))).toEqual(
    new Set(["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "PENDING_NEW"]),
  );
  const withLegs = all.filter((order) => order.legs !== undefined);
  const takeProfits = withLegs.flatMap((order) => order.legs?.slice(0, 1) ?? []);
  const stopLosses = withLegs.flatMap((order) => order.legs?.slice(1) ?? []);
  const partly = takeProfits.filter((leg) => leg.executed > 0n && (leg.pair?.executed ?? 0n) > 0n);
  const seen = {
    fired: all.filter((order) => order.fired && !order.leg).length,
    takeProfits: ended(takeProfits),
    stopLosses: ended(stopLosses),
    bothLegsTraded: partly.length,
    rejectedLegs: stopLosses.filter((leg) => leg.status === "REJECTED").length,
    ...Object.fromEntries(done),
  };
  for (const [what, times] of Object.entries(seen)) expect([what, times > 5]).toEqual([what, true]);

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
      if (
        ours?.status === order.status &&
        ours.executedQty === order.executed &&
        ours.isTriggered === (order.fired && order.stop !== undefined)
      ) {
        continue;
      }
      expect([order.id, ours?.status, ours?.executedQty, ours?.isTriggered]).toEqual([
        order.id,
        order.status,
        order.executed,
        order.fired,
      ]);
    }
    const open = [...naive.orders.values()].filter(
      ({ status }) => !isTerminal(status) && status !== "PENDING_NEW",
    );
    const listed = Array.from({ length: ACCOUNTS }, (_, account) =>
      exchange.openOrders(testAddress(account + 1), {
        fromMs: 0,
        toMs: NOW,
        limit: Number.POSITIVE_INFINITY,
      }),
    ).flat();
    expect(listed.map((order) => order.orderId).sort()).toEqual(open.map(({ id }) => id).sort());
  }

  function naiveLevels(side: "BUY" | "SELL"): [number, string][] {
    const sums = new Map<number, bigint>();
    for (const order of naive.resting()) {
      if (order.side !== side || order.price === undefined) continue;
      const price = Number(fixedText(order.price));
      sums.set(price, (sums.get(price) ?? 0n) + order.remaining);
    }
    return [...sums]
      .sort(([left], [right]) => (side === "BUY" ? right - left : left - right))
      .map(([price, sum]) => [price, fixedText(sum as Fixed)]);
  }
});

function legIds(hash: OrderId): NaiveTpsl["ids"] & readonly [OrderId, OrderId] {
  const { takeProfit, stopLoss } = legIdsOf(hash);
  return [takeProfit, stopLoss];
}

/** Sizes with few and with many decimals, so that fees need rounding. */
function randomQuantity(random: Prng): Fixed {
  const decimals = random.pick([2, 4, 8, 18]);
  const whole = random.int(0, 3);
  const fraction = Array.from({ length: decimals }, () => random.int(0, 9)).join("");
  return fixed(`${whole}.${fraction.replace(/^0/, "1")}`);
}
