import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { feeModel, marketFees } from "../../src/simulated/fee-model.ts";
import {
  book,
  depth,
  market,
  owner,
  play,
  quoteOnce,
  setupOf,
  trade,
} from "../backtest/hand-made.ts";
import { ETH, expectConservation, money, USDT } from "../support/exchange.ts";

/** Two own bids of 2 at 100 and 99; three trades fill 1, 1 and 2 of them. The market's maker fee is 0.1 %. */
const steps = () => [
  book(0, [98, 5], [102, 5]),
  trade(60, 100, 1, true),
  trade(70, 100, 1, true),
  trade(80, 99, 2, true),
  depth(200, [98, 1], []),
];
const quotes = () =>
  setupOf(
    quoteOnce(
      [
        [100, "2"],
        [99, "2"],
      ],
      [],
    ),
  );
const playedWith = (fees: Parameters<typeof feeModel>[0]) => {
  const setup = quotes();
  const models = { ...setup.models, fees: feeModel(fees) };
  return play({ ...setup, models }, steps());
};

describe("fees", () => {
  test("are the market's own where nothing else is set, in the token received", () => {
    const { fills } = playedWith(marketFees);
    expect(fills).toEqual([
      "60 BUY 1@100 0.001 base",
      "70 BUY 1@100 0.001 base",
      "80 BUY 2@99 0.002 base",
    ]);
  });

  test("fall with the volume of own fills, from the trade after the one that reaches a tier", () => {
    const tier = (volume: string, maker: number) => ({
      volume: fixed(volume),
      maker,
      taker: 0.002,
    });
    const { fills, end } = playedWith({
      ...marketFees,
      tiers: [tier("100", 0.0005), tier("200.01", 0.0001)],
    });
    // The volume is 100 after the first fill and 200 after the second.
    expect(fills).toEqual([
      "60 BUY 1@100 0.001 base",
      "70 BUY 1@100 0.0005 base",
      "80 BUY 2@99 0.001 base",
    ]);
    expectConservation({ exchange: end.exchange, blocks: [], last: () => expect.fail() });
  });

  test("below zero are rebates, paid in the token received", () => {
    const { fills, end } = playedWith({ ...marketFees, maker: -0.0001 });
    expect(fills.at(-1)).toBe("80 BUY 2@99 -0.0002 base");
    // 100 + 4 + 0.0004, and 100000 − 200 − 198.
    expect(money(end.exchange, owner, ETH)).toBe("104.0004/0");
    expect(money(end.exchange, owner, USDT)).toBe("99602/0");
    expectConservation({ exchange: end.exchange, blocks: [], last: () => expect.fail() });
  });

  test("of a configuration take the place of the market's, each by itself", () => {
    const rates = feeModel({ ...marketFees, maker: -0.0002 }).ratesOf(market, fixed("0"));
    expect(rates).toEqual({ makerFee: fixed("-0.0002"), takerFee: market.takerFee });
  });
});
