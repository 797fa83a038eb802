import { describe, expect, test } from "vitest";
import { alertsOf } from "../../src/alerts/alerts-of.ts";
import { hashOf } from "../kernel/harness.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";

const markets = [{ marketId: marketId("1", "2"), ticker: "ETH/USDC" }];

function told(inputs: readonly Input[], notes: readonly Note[]) {
  const batch = { seq: 1, nowMs: unixMs(7), inputs };
  return alertsOf({ batch, notes }, markets);
}

const by = { who: "ops", from: "10.0.0.1" };

describe("alerts tell what a step notes", () => {
  test.each<[Input, object]>([
    [
      { type: "operator", command: "reduceOnly", strategy: "maker", by },
      {
        code: "OPERATOR_REDUCE_ONLY",
        strategy: "maker",
        text: "reduceOnly of maker by ops, 10.0.0.1",
      },
    ],
    [
      { type: "operator", command: "halt", reason: "news", by },
      { code: "OPERATOR_HALT", text: "halt (news) by ops, 10.0.0.1" },
    ],
    [
      { type: "params", strategies: [{ name: "maker", params: {} }], by },
      { code: "OPERATOR_TUNE", text: "new parameters of maker by ops, 10.0.0.1" },
    ],
    [
      { type: "journalFailed", message: "no space left" },
      { code: "JOURNAL_FAILED", text: "only cancels are sent, then it ends: no space left" },
    ],
  ])("as an input %#", (input, alert) => {
    expect(told([input], [])).toEqual([{ ...alert, timeMs: 7 }]);
  });

  test("as a fill, with its worth in quote token", () => {
    const fill = {
      orderId: hashOf(1),
      tradeId: "t",
      marketId: marketId("1", "2"),
      side: "SELL",
      price: fixed("2000.5"),
      quantity: fixed("0.2"),
      fee: fixed("0"),
      feeToken: tokenId("2"),
      isMaker: true,
      timeMs: unixMs(5),
    } as const;
    const note: Note = {
      type: "fill",
      strategy: "maker",
      intent: 1,
      role: "quote",
      fill,
      paramsVersion: 1,
      position: fixed("-0.2"),
    };
    expect(told([], [note])).toEqual([
      {
        code: "FILL_LARGE",
        strategy: "maker",
        marketId: "1_2",
        text: "sold 0.2 at 2000.5 in ETH/USDC, position -0.2",
        worth: 400.1,
        timeMs: 7,
      },
    ]);
  });

  test.each<[Note, object]>([
    [
      {
        type: "risk",
        of: "maker",
        trigger: "dayLoss",
        step: "halt",
        code: "RISK_HALT",
        message: "a loss",
      },
      { code: "RISK_HALT", strategy: "maker", text: "a loss" },
    ],
    [
      {
        type: "doubt",
        code: "MARKET_LEFT",
        marketId: marketId("1", "2"),
        count: 1,
        message: "odd",
      },
      { code: "MARKET_LEFT", marketId: "1_2", text: "odd" },
    ],
    [
      { type: "warning", code: "RATE_SHORT", message: "too few requests" },
      { code: "RATE_SHORT", text: "too few requests" },
    ],
    [
      { type: "strategyFault", strategy: "maker", message: "NaN", stack: undefined },
      { code: "STRATEGY_FAILED", strategy: "maker", text: "NaN" },
    ],
    [
      { type: "guard", isConnected: false },
      { code: "GUARD_LOST", text: "no guard is connected any more" },
    ],
  ])("as a note %#", (note, alert) => {
    expect(told([], [note])).toEqual([{ ...alert, timeMs: 7 }]);
  });

  test("as nothing, when it is market data or an order", () => {
    expect(
      told([{ type: "tokenWanted" }], [{ type: "params", strategy: "a", version: 1 }]),
    ).toEqual([]);
  });
});
