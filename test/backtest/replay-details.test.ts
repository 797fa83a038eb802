import { describe, expect, test } from "vitest";
import { EquitySeries } from "../../src/backtest/equity-series.ts";
import { ReplayDetails } from "../../src/backtest/replay-details.ts";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import type { ReplayEquity } from "../../src/backtest/replay-tables.ts";
import { NOW } from "../support/exchange.ts";
import { book, depth, keccak256, play, quoteOnce, setupOf, trade } from "./hand-made.ts";

/** A bid of 2 at 100, behind 3 that were there before it, and an ask of 2 at 101 alone; filled at 60 and 1100. */
const steps: readonly RecordedStep[] = [
  book(0, [100, 3], [102, 5]),
  trade(60, 100, 4, true),
  depth(90, [100, 0], []),
  trade(1_100, 101, 2, false),
  depth(1_200, [100, 1], [102, 0, 103, 1]),
  depth(1_500, [98, 2], []),
  depth(3_000, [98, 1], []),
];

function detailsOf(played = steps) {
  const setup = setupOf(quoteOnce([[100, "2"]], [[101, "2"]]));
  const details = new ReplayDetails();
  const recorder = new ReplayRecorder(setup, keccak256, details);
  const { end } = play(
    setup,
    played,
    {},
    {
      begins: (venue) => recorder.begins(venue),
      recorded: (step, isWarmUp) => recorder.recorded(step, isWarmUp),
      block: (block, orders, mid) => recorder.block(block, orders, mid),
      decided: (command, txHash, nowMs) => recorder.decided(command, txHash, nowMs),
      stepped: (step) => recorder.stepped(step),
      stopped: () => recorder.stopped(),
    },
  );
  const result = recorder.result(end, 1_000);
  return { tables: details.tables, result };
}

test("the queue that an order met is without what was traded there since the newest depth event", () => {
  // The bid arrives at 50.
  const traded = [book(0, [100, 3], [102, 5]), trade(30, 100, 2, true), trade(60, 100, 1.5, true)];
  const { orders, fills } = detailsOf([...traded, depth(90, [98, 1], [])]).tables;
  expect(orders[0]).toMatchObject({ side: "BUY", enteredMs: NOW + 50, queueAhead: "1" });
  expect(fills).toMatchObject([{ timeMs: NOW + 60, quantity: "0.5" }]);
});

describe("the tables of a hand-made replay", () => {
  const { tables, result } = detailsOf();
  const { fills, orders, equity, markouts } = tables;

  test("have a row for each fill with the mid before it", () => {
    expect(fills).toEqual([
      {
        timeMs: NOW + 60,
        strategy: "maker",
        market: "1_2",
        key: "1",
        side: "BUY",
        price: "100",
        quantity: "1",
        fee: "0.001",
        feeToken: "1",
        liquidity: "maker",
        orderId: orders[0]?.orderId,
        mid: "101",
      },
      expect.objectContaining({
        timeMs: NOW + 1_100,
        side: "SELL",
        quantity: "2",
        feeToken: "2",
        mid: "101",
      }),
    ]);
    expect(fills).toHaveLength(result.fills);
  });

  test("have a row for each order with the queue that it met", () => {
    expect(orders).toMatchObject([
      {
        timeMs: NOW + 40,
        side: "BUY",
        role: "quote",
        quantity: "2",
        executed: "1",
        status: "CANCELED",
        enteredMs: NOW + 50,
        acknowledgedMs: NOW + 60,
        firstFillMs: NOW + 60,
        queueAhead: "3",
        mid: "101",
      },
      {
        side: "SELL",
        executed: "2",
        status: "FILLED",
        firstFillMs: NOW + 1_100,
        endedMs: NOW + 1_110,
        queueAhead: "0",
      },
    ]);
  });

  test("have the equity each second, after each fill and at the end, which is the result's", () => {
    expect(equity.map(({ timeMs, position }) => [timeMs - NOW, position])).toEqual([
      [0, "0"],
      [60, "0.999"],
      [1_000, "0.999"],
      [1_100, "-1.001"],
      [2_000, "-1.001"],
      [3_000, "-1.001"],
      [3_000, "-1.001"],
    ]);
    const last = equity.at(-1);
    expect(last).toMatchObject({ bid: "100", ask: "103", mid: "101.5" });
    const { spread, inventory, fees, pnl: total } = last ?? {};
    expect({ spread, inventory, fees, total }).toEqual(result.pnl);
    const deepest = Math.max(...equity.map(({ drawdown }) => Number(drawdown)));
    expect(deepest).toBe(Number(result.maxDrawdown));
  });

  test("have the best own quotes that rest as far as the bot knows", () => {
    expect(equity.map(({ ownBid, ownAsk }) => [ownBid, ownAsk])).toEqual([
      [null, null],
      // The bot learns at 60 that its quotes rest, and at 1110 that the ask was filled.
      [null, null],
      ["100", "101"],
      ["100", "101"],
      ["100", null],
      ["100", null],
      [null, null],
    ]);
  });

  test("have a markout for each fill and horizon, null where the replay ended before", () => {
    expect(markouts.map(({ side, horizonMs, laterMid }) => [side, horizonMs, laterMid])).toEqual([
      ...[100, 500, 1_000].map((horizonMs) => ["BUY", horizonMs, "101"]),
      ...[5_000, 10_000, 30_000, 60_000, 300_000].map((horizonMs) => ["BUY", horizonMs, null]),
      ...[100, 500, 1_000].map((horizonMs) => ["SELL", horizonMs, "101.5"]),
      ...[5_000, 10_000, 30_000, 60_000, 300_000].map((horizonMs) => ["SELL", horizonMs, null]),
    ]);
    // The mid rose from 101 to 101.5 after the sale.
    const [first] = markouts.filter(({ side, horizonMs }) => side === "SELL" && horizonMs === 100);
    expect(first?.midToMidBps).toBeCloseTo(-49.504950495, 8);
    const price = Number(first?.price);
    expect(first?.fillToMidBps).toBeCloseTo(((price - 101.5) / price) * 10_000, 8);
  });
});

test("the equity's grid gets coarser when it is long, and keeps fills and drawdowns", () => {
  const series = new EquitySeries(0);
  const row = (timeMs: number, drawdown: string): ReplayEquity => ({
    timeMs,
    strategy: "maker",
    market: "1_2",
    bid: null,
    ask: null,
    mid: null,
    ownBid: null,
    ownAsk: null,
    position: "0",
    spread: "0",
    inventory: "0",
    fees: "0",
    pnl: "0",
    drawdown,
  });
  const lengthSec = 100_000;
  for (let sec = 0; sec < lengthSec; sec += 1) {
    if (series.isDue(sec * 1_000)) series.sample(row(sec * 1_000, sec === 4_999 ? "7" : "0"));
    if (sec === 33) series.fill(row(33_500, "0"));
  }
  const { rows } = series;
  expect(rows.length).toBeLessThanOrEqual(25_001);
  expect(rows.length).toBeGreaterThan(12_000);
  expect(rows.filter(({ timeMs }) => timeMs === 33_500)).toHaveLength(1);
  expect(rows.filter(({ drawdown }) => drawdown === "7").map(({ timeMs }) => timeMs)).toEqual([
    5_000_000,
  ]);
  expect(rows.every(({ timeMs }) => timeMs === 33_500 || timeMs % 4_000 === 0)).toBe(true);
});
