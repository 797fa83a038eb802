import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import type { SnapshotPart, SavedRows } from "../../src/exchange/snapshot.ts";
import type { WireCommand } from "../../src/spec/commands.ts";
import type { CommandResult, Block } from "../../src/exchange/records.ts";
import {
  ETH,
  ETH_USDT,
  funds,
  limit,
  market,
  NOW,
  testAddress,
  testMarket,
  transactionOf,
  USDT,
} from "../support/exchange.ts";
import { runs } from "../support/soak.ts";

const config = {
  exemptAccounts: [testAddress(1), testAddress(2)],
  markets: [testMarket()],
  faucet: funds("10", "25000"),
  limits: {
    historyPerAccount: 20,
    recentTrades: 15,
    rememberedTransactions: 30,
    candlesPerResolution: 12,
  },
};

/** The rows as read back from a disk. */
function written(parts: readonly SnapshotPart[]): SavedRows {
  const rows = new Map(parts.map((part) => [part.name, textOf(part)]));
  return <Row>(name: string) => (rows.get(name) ?? []).map((text) => JSON.parse(text) as Row);
}

function textOf(part: SnapshotPart): string[] {
  return Array.from({ length: part.size }, (_, at) => JSON.stringify(part.row(at)));
}

/** An exchange's complete state; the rows of a part may be in another order. */
function state(exchange: Exchange): Record<string, string[]> {
  return Object.fromEntries(exchange.save().map((part) => [part.name, textOf(part).sort()]));
}

/** A random action; equal numbers on equal exchanges do the same. */
function act(exchange: Exchange, seed: number, step: number): CommandResult | undefined {
  const random = new Prng(seed * 10_000 + step);
  const now = unixMs(NOW + step * random.pick([100, 7_000, 45_000]));
  const account = testAddress(random.int(1, 5));
  const side = random.pick(["BUY", "SELL"] as const);
  const price = String(random.int(1780, 1820));
  const open = exchange.openOrders(account, { fromMs: 0, toMs: now, limit: 100 });
  const some = open.length === 0 ? undefined : random.pick(open);
  const signed = (command: WireCommand): CommandResult =>
    exchange.submit(
      transactionOf({
        signer: account,
        txHash:
          `0x${(seed * 10_000 + random.int(0, step)).toString(16).padStart(64, "0")}` as OrderId,
        nonce: random.chance(0.5) ? now + random.int(-9, 9) : random.int(0, 3),
        command,
      }),
      now,
    );
  const stopPrice = fixed(String(random.int(1780, 1820)));
  const move = {
    to: testAddress(random.int(1, 9)),
    tokenId: random.pick([ETH, USDT]),
    amount: fixed(String(random.int(1, 20))),
  };
  switch (random.int(0, 16)) {
    case 10:
      return exchange.execute(
        account,
        { ...limit(side, price, "2"), type: "stop", stopPrice },
        now,
      );
    case 11:
      return exchange.execute(account, { ...market(side, "2"), type: "stop", stopPrice }, now);
    case 12:
    case 13: {
      const [above, below] = [fixed(String(Number(price) + 9)), fixed(String(Number(price) - 9))];
      const tpsl = {
        tpLimit: side === "BUY" ? above : below,
        slTrigger: side === "BUY" ? below : above,
        slLimit: random.chance(0.5) ? below : undefined,
      };
      return exchange.execute(account, { ...limit(side, price, "2"), tpsl }, now);
    }
    case 14:
      return random.chance(0.5)
        ? exchange.execute(account, { type: "token-transfer", ...move }, now)
        : exchange.execute(account, { type: "withdraw", ...move }, now);
    case 15: {
      const next = exchange.nextWithdrawal;
      if (next === undefined) return undefined;
      const outcome = random.pick(["executed", "failed", "executed-elsewhere"] as const);
      exchange.settleWithdrawal(next.txHash, outcome, now);
      if (random.chance(0.5)) exchange.retryWithdrawal(next.txHash, now);
      return undefined;
    }
    case 16: {
      const nonce = now + random.int(-9, 9);
      const expiresAt = Math.floor(now / 1000) + random.int(-5, 500);
      const sessionWallet = testAddress(random.int(20, 23));
      const context = {
        type: random.pick([1, 2, 3] as const),
        publickey: sessionWallet,
        expiresAt,
        nonce,
        l1owner: account,
        l1signature: "0x",
      };
      const hash = `0x${(seed * 10_000 + step).toString(16).padStart(60, "0")}5e55` as OrderId;
      return exchange.submit(
        transactionOf({
          signer: random.pick([account, sessionWallet]),
          txHash: hash,
          nonce,
          command: { name: "session", context },
          session: { l1signer: account, name: `n${step}` },
        }),
        now,
      );
    }
    case 0:
      return exchange.execute(account, market(side, String(random.int(1, 3))), now);
    case 1:
      return some && exchange.execute(account, { type: "cancel", orderId: some.orderId }, now);
    case 2:
      return (
        some &&
        exchange.execute(
          account,
          { type: "modify", orderId: some.orderId, price: fixed(price), quantity: undefined },
          now,
        )
      );
    case 3:
      return random.chance(0.2)
        ? exchange.execute(account, { type: "cancel-all" }, now)
        : undefined;
    case 4:
      exchange.see(testAddress(random.int(6, 12)), now);
      return undefined;
    case 5:
      return signed({ name: "cancel-all", context: { l1owner: testAddress(random.int(1, 7)) } });
    case 6:
      exchange.flowDepth(
        ETH_USDT,
        Float64Array.of(random.int(1770, 1800), random.int(0, 3)),
        Float64Array.of(random.int(1801, 1830), random.int(0, 3)),
        now,
      );
      return undefined;
    case 7: {
      const trade = {
        price: Number(price),
        quantity: random.int(1, 3),
        isBuyerMaker: side === "BUY",
      };
      exchange.flowTrade(ETH_USDT, trade, now);
      return undefined;
    }
    default:
      return exchange.execute(account, limit(side, price, String(random.int(1, 5))), now);
  }
}

describe("an exchange and one restored from its snapshot", () => {
  test("have the same state and continue alike", () => {
    const run = fc.property(fc.nat(100_000), fc.integer({ min: 0, max: 120 }), (seed, before) => {
      const [told, toldAgain]: Block[][] = [[], []];
      let listens = false;
      const first = new Exchange(
        {
          ...config,
          accounts: new Map([1, 2, 3, 4, 5].map((at) => [testAddress(at), funds("100", "200000")])),
        },
        (block) => listens && told?.push(block),
      );
      for (let step = 0; step < before; step += 1) act(first, seed, step);
      const image = first.save();
      const second = new Exchange(config, (block) => toldAgain?.push(block));
      // Taken earlier: later changes must not show in it.
      const early = image.map((part) => ({ ...part }));
      const saved = written(image);
      second.restore(saved);
      expect(state(second)).toEqual(state(first));
      listens = true;
      for (let step = before; step < before + 60; step += 1) {
        expect(act(second, seed, step)).toEqual(act(first, seed, step));
      }
      expect(toldAgain).toEqual(told);
      expect(state(second)).toEqual(state(first));
      expect(early.map(textOf).map((rows) => rows.length)).toEqual(image.map(({ size }) => size));
      for (const part of early)
        expect(textOf(part)).toEqual([...saved(part.name)].map((row) => JSON.stringify(row)));
      for (const { held, deposited } of second.ledger.audit().values())
        expect(held).toBe(deposited);
    });
    fc.assert(run, runs(100));
  });
});
