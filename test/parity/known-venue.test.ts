import { describe, expect, test } from "vitest";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { Prng } from "../../src/base/prng.ts";
import { type ComparedRun, comparedRun } from "../../src/parity/compared-run.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { defaultFills, type FillSettings } from "../../src/simulated/queue-models.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { book, depth, setupOf, trade, ways } from "../backtest/hand-made.ts";
import { keccak256, recordedAt, recordedRun, type RunOfJournal } from "./recorded-at.ts";

/** Runs at venues whose models are known: the comparison must name them. */

type Queue = FillSettings["queue"];

function compared(
  run: RunOfJournal,
  decisions: "recorded" | "strategy",
  {
    queues,
    latencies,
  }: { readonly queues: readonly Queue[]; readonly latencies: readonly string[] },
): ComparedRun["report"] {
  const steps = comparedRun({
    header: run.header,
    entries: run.batches.map((entry) => ({ type: "batch", entry })),
    strategies: run.strategies,
    decisions,
    fills: queues.map((queue) => ({ ...defaultFills, queue })),
    latencies,
    windowMs: 500,
    keccak256,
  });
  return runAll(steps).report;
}

function expectExactly(
  { live, best, alike, orderRows }: ComparedRun["report"],
  venue: { readonly queue: Queue; readonly latency: string },
): void {
  expect(best).toMatchObject(venue);
  expect(best?.score).toBeCloseTo(1, 9);
  // The venue's trades may come in other parts, so the fills' number and the split of the PnL may differ, its total not.
  expect(best?.pnl?.total).toBe(live.pnl?.total);
  expect(alike).toEqual({ queues: [venue.queue], latencies: [venue.latency] });
  expect(orderRows.filter(({ found }) => found !== "both")).toEqual([]);
  expect(orderRows.filter((row) => row.liveFilled !== row.replayFilled)).toEqual([]);
}

test("a run at a venue 200 ms away is distinguished from one without a delay, order by order and to the last digit", async () => {
  const run = await recordedAt("risk-averse", 200);
  const report = compared(run, "recorded", {
    queues: ["risk-averse"],
    latencies: ["0ms", "200ms"],
  });
  expect(report.live.fills).toBeGreaterThan(50);
  expectExactly(report, { queue: "risk-averse", latency: "200ms" });
});

test("strategies that decide again do what they did in the run, at its venue alone", async () => {
  const run = await recordedAt("risk-averse", 50);
  const report = compared(run, "strategy", {
    queues: ["trade-through", "risk-averse"],
    latencies: ["50ms"],
  });
  expectExactly(report, { queue: "risk-averse", latency: "50ms" });
});

describe.each(["risk-averse", "uniform", "power"] as const)(
  "a run at a venue with the queue %s",
  (queue) => {
    test("is distinguished from the other queues where a queue shrinks without trades", () => {
      const setup = setupOf(quoteInTurns, ways(10, 10), { fills: { ...defaultFills, queue } });
      const report = compared(recordedRun(setup, shrinkingQueues()), "recorded", {
        queues: ["risk-averse", "uniform", "power"],
        latencies: ["10ms"],
      });
      expect(report.live.fills).toBeGreaterThan(20);
      expectExactly(report, { queue, latency: "10ms" });
    });
  },
);

const TURN_MS = 2_000;
const TURNS = 60;

/** A bid at the touch for most of each turn, so that it joins the queue anew in the next one. */
function quoteInTurns({ nowMs }: { readonly nowMs: number }) {
  const inTurn = nowMs % TURN_MS;
  const wakeAtMs = nowMs - inTurn + (inTurn < 1_700 ? 1_700 : TURN_MS);
  const bids = inTurn < 1_700 ? [{ price: 99, size: "1" }] : [];
  return setQuotes({ bids, wakeAtMs });
}

/** In each turn the queue at the best bid grows behind the own order, shrinks without a trade, and is traded at. */
function shrinkingQueues(): readonly RecordedStep[] {
  const prng = new Prng(7);
  const steps = [book(0, [99, 10], [101, 10])];
  for (let turn = 3; turn < TURNS; turn += 1) {
    const at = turn * TURN_MS;
    const grown = prng.int(13, 40);
    const left = prng.int(6, grown - 2);
    const traded = prng.int(1, 16);
    steps.push(
      depth(at + 300, [99, grown], []),
      depth(at + 600, [99, left], []),
      trade(at + 900, 99, traded, true),
      depth(at + 901, [99, Math.max(1, left - traded)], []),
      depth(at + 1_800, [99, 10], []),
    );
  }
  return steps;
}
