import { z } from "zod";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import {
  keepQuotes,
  setQuotes,
  type StrategyDefinition,
  type WantedQuote,
} from "../../src/strategy/contract.ts";
import type { BenchCase, BenchRun, LoopSide } from "../bench-case.ts";
import { DecisionKernel } from "../decision/decision-kernel.ts";

const LEVELS = 5;

/** Two times five quotes at fixed distances from the mid, one literal size: what the kernel costs, almost without a strategy. */
const grid: StrategyDefinition<z.ZodType, object> = {
  name: "grid",
  params: z.unknown(),
  init: () => ({}),
  decide({ view }) {
    const { mid } = view.book;
    if (mid === undefined) return keepQuotes();
    const bids: WantedQuote[] = [];
    const asks: WantedQuote[] = [];
    for (let level = 0; level < LEVELS; level += 1) {
      const distance = 50 + 20 * level;
      bids.push({ price: view.roundDown(mid - distance), size: "0.01" });
      asks.push({ price: view.roundUp(mid + distance), size: "0.01" });
    }
    return setQuotes({ bids, asks });
  },
};

const idle: StrategyDefinition<z.ZodType, object> = {
  name: "idle",
  params: z.unknown(),
  init: () => ({}),
  decide: () => keepQuotes(),
};

/**
 * G14: one step of the kernel with a depth event and a decision whose orders all rest where they should, beside the same step of a
 * strategy that keeps its quotes without having any. The difference is the price of a decision.
 */
export const decision: BenchCase = {
  goal: "G14",
  title: "kernel step with a decision of pure-market-making 2 x 5",
  unit: "us",
  prepare: async () => {
    const params = pureMarketMaking.params.parse({
      bidSpread: "0.1%",
      askSpread: "0.1%",
      size: "0.01",
      levels: LEVELS,
      refresh: "50ms",
    });
    return stepsOf({ definition: pureMarketMaking, params });
  },
};

export const gridDecision: BenchCase = {
  goal: "G14b",
  title: "kernel step with a decision of a plain grid 2 x 5",
  unit: "us",
  prepare: async () => stepsOf({ definition: grid, params: {} }),
};

function stepsOf(strategy: ConstructorParameters<typeof DecisionKernel>[0]): BenchRun {
  const deciding = new DecisionKernel(strategy);
  const waiting = new DecisionKernel({ definition: idle, params: {} });
  return {
    sides: [side("touchline, with the decision", deciding), side("without", waiting)],
    clock: "processor",
    check() {
      if (deciding.resting !== 2 * LEVELS) return `${deciding.resting} orders rest, not 10`;
      return deciding.commands === 2 * LEVELS
        ? undefined
        : `${deciding.commands} orders were placed, not 10: not all were kept`;
    },
  };
}

function side(name: string, kernel: DecisionKernel): LoopSide {
  return {
    name,
    run(iterations) {
      for (let at = 0; at < iterations; at += 1) kernel.step();
    },
  };
}
