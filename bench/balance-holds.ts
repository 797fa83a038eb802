import { assert } from "../src/base/assert.ts";
import { fixed, ZERO } from "../src/domain/fixed.ts";
import { marketId, orderId, tokenId } from "../src/domain/ids.ts";
import type { Fill, Transfer } from "../src/domain/order.ts";
import { unixMs } from "../src/domain/time.ts";
import { BalanceLedger } from "../src/orders/balance-ledger.ts";

/**
 * How long a report of the balances holds the bot's event loop when fills without a block surround it, after the venue's clock was set
 * back an hour: `node bench/balance-holds.ts`. Milliseconds of the thread's processor time, medians of the rounds.
 */

const ROUNDS = 9;
const HOUR_MS = 3_600_000;
const START_MS = 2 * HOUR_MS;
const base = tokenId("1");
const quote = tokenId("2");

function cpuMs(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const order = orderId(`0x${"1".repeat(64)}`);
assert(order !== undefined, "an order id has 64 digits");
const owner = order;

function fillOf(at: number, fills: number): Fill {
  return {
    orderId: owner,
    tradeId: String(at),
    marketId: marketId("1", "2"),
    side: "BUY",
    price: fixed("100"),
    quantity: fixed(String(((at * 7_919) % 1_000) / 1_000 + 0.001)),
    fee: fixed("0.00001"),
    feeToken: base,
    isMaker: true,
    timeMs: unixMs(START_MS - HOUR_MS + Math.floor((at * HOUR_MS) / fills)),
  };
}

function transferOf(at: number): Transfer {
  return {
    tokenId: at % 2 === 0 ? base : quote,
    amount: fixed(`${at}.123`),
    timeMs: unixMs(START_MS - at * 1_000),
    txHash: `0x${at}`,
  };
}

/** The first report with a change, one that changes nothing, and the one that finds it to be drift. */
function reportTimes(fills: number, transfers: number): readonly number[] {
  const ledger = new BalanceLedger(10_000, {
    transfersExplainOnce: true,
    transfersInRuns: true,
    transfersWithFills: true,
    explainsDriftInParts: true,
    doubtsOpenBlock: true,
    waitsForListedFills: true,
    redatesByEvents: true,
    disprovesRestarts: true,
    followsRestarts: true,
    ownTokens: new Set([base, quote]),
  });
  const report = (amount: string, blockNumber: number, atMs: number, offsetMs: number): number => {
    ledger.fillsListed(atMs);
    return cpuMs(() =>
      ledger.report({
        balances: [base, quote].map((token) => ({
          tokenId: token,
          locked: ZERO,
          unlocked: fixed(amount),
        })),
        blockNumber,
        queriedMs: atMs,
        nowMs: atMs,
        offsetMs,
        isLive: true,
      }),
    );
  };
  ledger.clockRead(0, START_MS);
  report("1000", 1, START_MS, 0);
  for (let at = 0; at < fills; at += 1) ledger.fill(fillOf(at, fills));
  ledger.clockRead(-HOUR_MS, START_MS + 1_000);
  ledger.listTransfers(
    Array.from({ length: transfers }, (_, at) => transferOf(at)),
    START_MS,
  );
  return [5_000, 7_000, 80_000].map((afterMs, at) =>
    report("1000.7777777", at + 2, START_MS + afterMs, -HOUR_MS),
  );
}

for (const [fills, transfers] of [
  [1_000, 0],
  [5_000, 0],
  [5_000, 500],
  [10_000, 500],
] as const) {
  const rounds = Array.from({ length: ROUNDS }, () => reportTimes(fills, transfers));
  const medians = [0, 1, 2].map(
    (at) => rounds.map((times) => times[at] ?? 0).sort((left, right) => left - right)[ROUNDS >> 1],
  );
  const text = medians.map((ms) => (ms ?? 0).toFixed(1)).join(", ");
  console.log(`${fills} fills, ${transfers} transfers: ${text}`);
}
