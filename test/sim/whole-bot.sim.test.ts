import { describe, expect, it } from "vitest";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { simulate } from "../../src/sim/simulate.ts";
import { simulationTools } from "../../src/sim/simulation-tools.ts";
import { judged, storedWorlds } from "./stored-worlds.ts";

const reached = new Set<string>();

describe("the whole bot on a bad network keeps every invariant", () => {
  it.each(storedWorlds.filter(({ isLong }) => isLong !== true))(
    "world $seed: $shows",
    async (stored) => {
      const world = await judged(stored);
      for (const what of world.reached.keys()) reached.add(what);
      expect(world.broken).toEqual([]);
    },
  );

  it("and reaches every outcome", () => {
    const wanted = [
      ...["accepted", "refused", "not-sent", "unknown"].map((outcome) => `response ${outcome}`),
      ...["FILLED", "CANCELED", "UNKNOWN", "NEVER_PLACED"].map((status) => `order ${status}`),
      ...["stop", "takeProfit", "stopLoss"].flatMap((role) =>
        ["NEW", "FILLED", "CANCELED"].map((status) => `${role} ${status}`),
      ),
      "take FILLED",
      "stop triggered",
      "stopLoss triggered",
      "order restored",
      "effect modify",
      "run verified",
      "fill",
      "denied max-position",
      "session signs",
      "start: killed",
      "start: power cut",
      "operator ended a run",
      "operator canceled a foreign order",
      "order taken over",
      "order with fills taken over",
      "session ended a run",
    ];
    expect(wanted.filter((what) => !reached.has(what))).toEqual([]);
  });

  it("without faults it has no unknown outcomes, rejections or lost streams", async () => {
    const tools = await simulationTools();
    const result = await simulate({ seed: 21, ...tools, faults: [], faultsMs: 8_000 });
    expect(result.violations).toEqual([]);
    for (const never of ["response unknown", "order REJECTED", "stream closed"]) {
      expect([never, result.reached.get(never) ?? 0]).toEqual([never, 0]);
    }
    expect(result.end).toMatchObject({ ok: true, summary: { ordersLeft: 0, ordersRejected: 0 } });
    expect(result.end?.summary.fills).toBeGreaterThan(0);
  });

  it("repeats its run bit for bit, with contingent orders too", async () => {
    const { crypto, strategy } = await simulationTools();
    const run = (isContingent: boolean) =>
      simulate({
        seed: 1_005,
        crypto,
        strategy: isContingent ? contingentStrategy : strategy,
        faultsMs: 4_000,
      });
    const worlds = [await run(false), await run(false), await run(true), await run(true)];
    const [one, again, other, otherAgain] = worlds.map(({ traceHash }) => traceHash);
    expect([again, otherAgain]).toEqual([one, other]);
    expect(other).not.toBe(one);
    expect(worlds.flatMap(({ violations }) => violations)).toEqual([]);
  });
});
