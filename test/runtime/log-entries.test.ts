import { expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { createLog } from "../../src/platform/log.ts";
import { entryLog } from "../../src/runtime/log-entries.ts";

const marketId = "1_2" as MarketId;

/** The lines of steps with these notes and inputs, one a step. */
function linesOf(steps: readonly { notes?: readonly Note[]; inputs?: readonly Input[] }[]) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const observe = entryLog(log, [{ marketId, ticker: "ETH/USDT" }]);
  for (const [seq, { notes = [], inputs = [] }] of steps.entries()) {
    observe({ batch: { seq, nowMs: unixMs(seq), inputs }, notes });
  }
  return lines;
}

test("a fill is one line with market, price, size, fee and position", () => {
  const note: Note = {
    type: "fill",
    strategy: "m",
    intent: 1,
    role: "quote",
    paramsVersion: 1,
    position: fixed("1.5"),
    fill: {
      tradeId: "7",
      orderId: "0xab" as OrderId,
      marketId,
      side: "SELL",
      price: fixed("100.5"),
      quantity: fixed("0.5"),
      fee: fixed("0.01"),
      feeToken: "2" as TokenId,
      isMaker: true,
      timeMs: unixMs(1),
    },
  };
  const shown = { ticker: "ETH/USDT", side: "SELL", price: "100.5", quantity: "0.5" };
  expect(linesOf([{ notes: [note] }])).toMatchObject([
    {
      msg: "fill",
      strategy: "m",
      marketId,
      ...shown,
      fee: "0.01",
      feeToken: "USDT",
      position: "1.5",
    },
  ]);
});

test("the reason why a side is not quoted is logged again when more than its numbers has changed", () => {
  const reasons = [
    "denied by balance: 49.957, limit 20",
    "denied by balance: 1,049.9, limit 0",
    "paused",
    undefined,
    undefined,
    "denied by balance: 49.957, limit 20",
  ];
  const notes = [...reasons, "paused"].map((reason, at): { notes: Note[] } => ({
    notes: [
      {
        type: "quoteReason",
        strategy: "m",
        marketId,
        side: "BUY",
        reason,
        inPart: at === reasons.length,
      },
    ],
  }));
  const said = linesOf(notes).map(({ msg, reason }) => [msg, reason]);
  expect(said).toEqual([
    ["not quoted", "denied by balance: 49.957, limit 20"],
    ["not quoted", "paused"],
    ["quoted again", undefined],
    ["not quoted", "denied by balance: 49.957, limit 20"],
    ["quoted in part", "paused"],
  ]);
});

test("deposits, withdrawals and transfers are logged with their amounts", () => {
  const events = (["DEPOSIT", "WITHDRAW", "TRANSFER"] as const).map((eventType) => ({
    inputs: [
      {
        type: "accountEvent" as const,
        event: {
          eventType,
          account: "0xaa" as Address,
          tokenId: "2" as TokenId,
          amount: fixed("12.5"),
          fromAddress: eventType === "TRANSFER" ? ("0xbb" as Address) : undefined,
          toAddress: eventType === "TRANSFER" ? ("0xaa" as Address) : undefined,
          blockNumber: 1,
          timeMs: unixMs(1),
          txHash: "0xcc",
        },
      },
    ],
  }));
  expect(linesOf(events)).toMatchObject([
    { msg: "deposit", tokenId: "2", amount: "12.5" },
    { msg: "withdrawal", tokenId: "2", amount: "12.5" },
    { msg: "transfer", tokenId: "2", amount: "12.5", from: "0xbb", to: "0xaa" },
  ]);
});

test("a strategy's failure is logged as an error, with its stack", () => {
  const stack = "Error: no\n    at decide (file:///m.ts:3:7)";
  const note: Note = { type: "strategyFault", strategy: "m", message: "no (m.ts:3:7)", stack };
  expect(linesOf([{ notes: [note] }])).toMatchObject([
    { level: 50, msg: "the strategy failed: no (m.ts:3:7)", stack },
  ]);
});
