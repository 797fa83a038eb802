import { expect, test } from "vitest";
import type { z } from "zod";
import { builtInStrategies } from "../../src/config/load-plugin.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import avellanedaStoikov from "../../strategies/avellaneda-stoikov.ts";
import bracketEntry from "../../strategies/bracket-entry.ts";
import fairValueQuoter from "../../strategies/fair-value-quoter.ts";
import glft from "../../strategies/glft.ts";
import grid from "../../strategies/grid.ts";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { aView, type ViewOptions } from "./a-view.ts";

/** The kinds of a strategy's decisions, for one view after another. */
function decisions<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
  written: object,
  views: readonly ViewOptions[],
): string[] {
  const params = definition.params.parse(written);
  const state = definition.init({ params, seed: 1 });
  return views.map((options) => definition.decide({ view: aView(options), params, state }).type);
}

const views = [{}, { afterMs: 10 }, { afterMs: 20, quotesPulled: true }, { afterMs: 30 }];
const ladder = { bidSpread: "0.1%", askSpread: "0.1%", size: "1" };
const model = {
  size: "1",
  riskAversion: 0.001,
  volatility: "3%",
  tradeRate: 1,
  tradeReach: "0.1%",
};
const entry = { distance: "1%", size: "1", takeProfit: "2%", stopLoss: "1%" };

test("every built-in strategy sets quotes at once after a pull, and keeps them otherwise", () => {
  const expected = ["set", "keep", "set", "keep"];
  expect(decisions(pureMarketMaking, ladder, views)).toEqual(expected);
  expect(decisions(avellanedaStoikov, model, views)).toEqual(expected);
  expect(decisions(bracketEntry, entry, views)).toEqual(expected);
  expect(decisions(glft, model, views)).toEqual(expected);
  const lines = { low: "1900", high: "2100", levels: 21, size: "1" };
  expect(decisions(grid, lines, views)).toEqual(expected);
  // It measures the basis first.
  const warm = Array.from({ length: 20 }, (_, at) => ({
    afterMs: 1_000 * (at - 20),
    source: 2000,
  }));
  const quoter = [...warm, ...views.map((view) => ({ ...view, source: 2000 }))];
  const value = { source: "ref", size: "1", minEdge: "0.1%", volatility: "1%" };
  expect(decisions(fairValueQuoter, value, quoter).slice(-4)).toEqual(expected);
  // A new one belongs into this test or, if it does not quote one market, into its own.
  expect(builtInStrategies()).toEqual([
    "avellaneda-stoikov",
    "bracket-entry",
    "fair-value-quoter",
    "glft",
    "grid",
    "hedged-maker",
    "pov",
    "pure-market-making",
    "twap",
  ]);
});
