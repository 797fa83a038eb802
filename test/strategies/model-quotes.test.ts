import path from "node:path";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { gridRules } from "../../src/domain/grid-rules.ts";
import type { Decision, StrategyDefinition } from "../../src/strategy/contract.ts";
import { marketModel } from "../../src/strategy/market-model.ts";
import { replay } from "../../src/testing/index.ts";
import avellaneda, { avellanedaStoikov } from "../../strategies/avellaneda-stoikov.ts";
import glftStrategy, { glft } from "../../strategies/glft.ts";
import { start } from "../kernel/harness.ts";
import { aView, type ViewOptions } from "./a-view.ts";

const prior = { volatility: "3%", tradeRate: 1, tradeReach: "0.1%" };
const written = { size: "0.5", riskAversion: 0.001, ...prior };
const both = [avellaneda, glftStrategy] as const;
type Strategy = (typeof both)[number];

/** A run of a strategy; it decides on one view after another. */
function running(strategy: Strategy, settings: object = written) {
  return strategy === avellaneda ? runOf(avellaneda, settings) : runOf(glftStrategy, settings);
}

function runOf<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
  settings: object,
) {
  const params = definition.params.parse(settings);
  const state = definition.init({ params, seed: 1 });
  const decide = (options: ViewOptions) =>
    definition.decide({ view: aView(options), params, state });
  return { params, state, decide };
}

function prices(decision: Decision) {
  if (decision.type !== "set") throw new Error(decision.type);
  const of = (quotes: readonly { readonly price: number }[]) => quotes.map(({ price }) => price);
  return { bids: of(decision.bids), asks: of(decision.asks), reason: decision.reason };
}

const market = { mid: 2000, inventory: 3, size: 0.5 };

test("the quotes are those of the formula, a maker fee further away and rounded outwards", () => {
  for (const strategy of both) {
    const { params, state, decide } = running(strategy);
    const { bids, asks } = prices(decide({ bought: 3, makerFee: 0.0002 }));
    const model = marketModel(state.market, params, 2000);
    if (model === undefined) throw new Error("no model");
    const secondsLeft = (3_600_000 - (start % 3_600_000)) / 1_000;
    const { bid, ask } =
      strategy === avellaneda
        ? avellanedaStoikov({ ...market, model }, { riskAversion: 0.001, secondsLeft })
        : glft({ ...market, model }, { riskAversion: 0.001 });
    expect(model.volatility).toBeCloseTo((2000 * 0.03) / Math.sqrt(86_400), 9);
    expect(model.decay).toBeCloseTo(1 / (2000 * 0.001), 6);
    expect(bids).toEqual([gridRules.roundDown(bid - 0.4)]);
    expect(asks).toEqual([gridRules.roundUp(ask + 0.4)]);
    expect(bids[0]).toBeLessThan(1998);
  }
});

describe.each(both.map((strategy) => ({ name: strategy.name, strategy })))(
  "$name",
  ({ strategy }) => {
    test("moves both quotes down when long and up when short", () => {
      const [short, flat, long] = [-20, 0, 20].map((bought) =>
        prices(running(strategy).decide({ bought })),
      );
      for (const side of ["bids", "asks"] as const) {
        expect(long?.[side][0]).toBeLessThan(flat?.[side][0] ?? 0);
        expect(flat?.[side][0]).toBeLessThan(short?.[side][0] ?? 0);
      }
    });

    test("quotes nothing before the market is measured, unless the settings say what to assume", () => {
      const { decide } = running(strategy, { size: "0.5", riskAversion: 0.001 });
      const first = prices(decide({}));
      expect(first).toMatchObject({ bids: [], asks: [] });
      expect(first.reason.BUY).toBe("volatility and market orders are not measured yet");
      expect(decide({ afterMs: 1 }).wakeAtMs, "a quiet market is measured too").toBe(start + 5_001);
      // Two seconds apart: a move of the mid and a market order each.
      for (let step = 1; step <= 60; step += 1) {
        const up = 0.2 * (step % 3);
        const touch = { bids: [[1999 + up, 5]], asks: [[2001 + up, 5]] } as const;
        const lastTrade = 2001 + up + 2 * (step % 2);
        decide({ ...touch, lastTrade, afterMs: 2_000 * step });
      }
      expect(prices(decide({ afterMs: 124_000 })).bids).toHaveLength(1);
    });

    test("decides at once after an own fill, and keeps its quotes otherwise until the refresh", () => {
      const { decide } = running(strategy);
      decide({});
      expect(decide({ afterMs: 10 }).type).toBe("keep");
      expect(decide({ afterMs: 20, fills: [{ order: 1, side: "BUY" }] }).type).toBe("set");
      expect(decide({ afterMs: 30 }).type).toBe("keep");
      expect(decide({ afterMs: 2_020 }).type).toBe("set");
    });

    test("does not quote the side that would exceed maxInventory", () => {
      const { decide } = running(strategy, { ...written, maxInventory: "5" });
      const { bids, asks, reason } = prices(decide({ bought: 4.6 }));
      expect(bids).toEqual([]);
      expect(asks).toHaveLength(1);
      expect(reason).toEqual({ BUY: "the position would be above maxInventory" });
      expect(prices(running(strategy).decide({ bought: 4.6 })).bids).toHaveLength(1);
    });

    test("far from its target, trades back at the touch and quotes no price that means nothing", () => {
      const far = { ...written, riskAversion: 1_000, tradeReach: "50%" };
      const long = prices(running(strategy, far).decide({ bought: 1e6 }));
      expect(long).toMatchObject({ bids: [], asks: [1999.5] });
      expect(long.reason.BUY).toBe("its price is too far from the mid");
      const short = prices(running(strategy, far).decide({ bought: -1e6 }));
      expect(short).toMatchObject({ bids: [2000.5], asks: [] });
      const none = running(strategy, { ...written, size: { quote: "0.000000000000000001" } });
      expect(prices(none.decide({})).reason.BUY).toBe("the size is below a lot");
    });

    test("quotes nothing in a one-sided or a very wide market", () => {
      expect(prices(running(strategy).decide({ asks: [] })).bids).toEqual([]);
      const wide = running(strategy, { ...written, maxSpread: "1%" });
      expect(prices(wide.decide({ asks: [[2200, 1]] })).bids).toEqual([]);
    });

    test("goes on with what it measured after a restart", () => {
      const views = Array.from({ length: 40 }, (_, step) => {
        const up = step % 5;
        const touch = { bids: [[1999 + up, 5]], asks: [[2001 + up, 5]] } as const;
        return { ...touch, lastTrade: 2001.5 + up, afterMs: 1_500 * step };
      });
      const whole = running(strategy);
      const before = running(strategy);
      const wanted = views.map((view) => whole.decide(view));
      for (const view of views.slice(0, 20)) before.decide(view);
      const after = running(strategy);
      const saved: unknown = JSON.parse(JSON.stringify(strategy.state?.save(before.state)));
      const loaded = strategy.state?.load(saved, 1, after.state);
      // A new run quotes at once.
      Object.assign(after.state, loaded, {
        requote: before.state.requote,
        fair: before.state.fair,
        halfSpread: before.state.halfSpread,
      });
      expect(views.slice(20).map((view) => after.decide(view))).toEqual(wanted.slice(20));
    });

    test("refuses settings that contradict each other", () => {
      const { tradeReach: _, ...withoutReach } = written;
      const messages = (settings: object) =>
        strategy.params
          .safeParse(settings)
          .error?.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
      expect(messages(withoutReach)).toEqual([
        "tradeRate is used only with tradeReach: give both or neither",
      ]);
      expect(messages({ ...written, fitFrom: "1%" })).toEqual(["fitTo is not above fitFrom"]);
    });

    test("trades in a replay of the recorded market, each time the same", async () => {
      const root = path.join(import.meta.dirname, "../..");
      const run = () =>
        replay({
          config: {
            venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1 },
            fees: { maker: "0.02%", taker: "0.05%" },
            balances: { ZIL: "50000", USDT: "10000" },
            strategies: [
              {
                name: "zil",
                plugin: strategy.name,
                market: "ZIL_USDT",
                params: { size: "500", riskAversion: 0.1, ...prior, refresh: "500ms" },
              },
            ],
          },
          recording: path.join(root, "config/recordings/zilusdt"),
          to: Date.parse("2021-04-05T18:34:10Z"),
        });
      const { result, warnings } = await run();
      expect(warnings).toEqual([]);
      expect(result.fills).toBeGreaterThan(0);
      expect((await run()).result.decisionsHash).toBe(result.decisionsHash);
    });
  },
);
