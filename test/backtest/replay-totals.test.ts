import { expect, test } from "vitest";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { playedSteps } from "../../src/backtest/run-replay.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { scripted } from "../kernel/harness.ts";
import { testMarket, USDT } from "../support/exchange.ts";
import { book, depth, keccak256, market, quoteOnce, setupOf, trade } from "./hand-made.ts";

const BTC = tokenId("3");
/** BTC for ETH, beside `market`, which is ETH for USDT. */
const inEth = testMarket({
  ...market,
  marketId: marketId("3", "1"),
  baseToken: BTC,
  quoteToken: tokenId("1"),
  ticker: "BTC/ETH",
});
const ofBtc = (step: RecordedStep): RecordedStep => ({ ...step, marketId: inEth.marketId });

function setup(): ReplaySetup {
  const bid = (price: number) => scripted(quoteOnce([[price, "1"]], []));
  const one = setupOf(quoteOnce([], []));
  return {
    ...one,
    kernel: {
      ...one.kernel,
      markets: [market, inEth],
      strategies: [
        { name: "eth", definition: bid(999), params: {}, marketId: market.marketId, seed: 1 },
        { name: "btc", definition: bid(19), params: {}, marketId: inEth.marketId, seed: 1 },
      ],
    },
    markets: [
      { market, recordedId: market.marketId },
      { market: inEth, recordedId: inEth.marketId },
    ],
    balances: new Map([...one.balances, [BTC, fixed("10")]]),
    reportingCurrency: USDT,
  };
}

/**
 * ETH trades at a mid of 1000 USDT while 1 ETH is bought at 999 and 1 BTC at 19 ETH, whose mid is 20. At the end the mids are 1010
 * and 22. The maker fee is 0.1 % of what is bought.
 *
 * |           | eth, USDT                   | btc, ETH                   | btc at 1010, USDT |
 * | spread    | (1000 − 999) · 1 = 1        | (20 − 19) · 1 = 1          | 1010              |
 * | fees      | −0.001 · 1000 = −1          | −0.001 · 20 = −0.02        | −20.2             |
 * | total     | 0.999 · 1010 − 999 = 9.99   | 0.999 · 22 − 19 = 2.978    | 3007.78           |
 * | inventory | 9.99 − 1 + 1 = 9.99         | 2.978 − 1 + 0.02 = 1.998   | 2017.98           |
 *
 * Volume: 999 USDT, and 19 ETH when an ETH was worth 1000.
 */
test("totals of two markets with different quote tokens are those computed by hand", () => {
  const steps = [
    book(0, [999, 5, 990, 5], [1001, 5]),
    ofBtc(book(1, [19, 5, 18, 5], [21, 5])),
    trade(2000, 998, 1, true),
    depth(2100, [999, 5], []),
    ofBtc(trade(3000, 18.5, 1, true)),
    ofBtc(depth(3100, [19, 5], [])),
    depth(4000, [1009, 5], [1001, 0, 1011, 5]),
    ofBtc(depth(4001, [21, 5], [21, 0, 23, 5])),
    depth(5000, [990, 6], []),
  ];
  const played = runAll(
    playedSteps({ setup: setup(), steps, keccak256, wallMs: () => 1 }, () => 1),
  );
  const { totals, strategies } = played.result;
  const [eth, btc] = strategies ?? [];
  expect([eth?.fills, btc?.fills]).toEqual([1, 1]);
  expect(eth?.pnl).toEqual({ spread: "1", inventory: "9.99", fees: "-1", total: "9.99" });
  expect(btc?.pnl).toEqual({ spread: "1", inventory: "1.998", fees: "-0.02", total: "2.978" });
  expect(totals).toMatchObject({
    currency: USDT,
    pnl: { spread: "1011", inventory: "2027.97", fees: "-21.2", total: "3017.77" },
    volume: "19999",
  });
});
