import { expect, it } from "vitest";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { WatchedStrategy } from "../../src/sim/watched-strategy.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market, scripted } from "../kernel/harness.ts";

it("fails in a re-run in the same decision, also of several in one millisecond", () => {
  const definition = scripted(() => setQuotes({ bids: [{ price: 1990, size: "1" }] }));
  const watched = new WatchedStrategy(definition, new VirtualClock());
  const binding = { name: "maker", params: {}, marketId: market.marketId, seed: 1 };
  const faultsOf = (isFirstRun: boolean): readonly number[] => {
    const bot = new Harness({
      decide: () => setQuotes({}),
      config: { strategies: [{ ...binding, definition: watched.definition }] },
    });
    bot.begin();
    const faults: number[] = [];
    for (const id of [101, 102, 103]) {
      if (isFirstRun && id === 102) watched.nextFailure = "throws";
      bot.notes.length = 0;
      bot.step(bot.depth(id, [1998, id], []));
      if (bot.notes.some(({ type }) => type === "strategyFault")) faults.push(id);
    }
    return faults;
  };
  expect(faultsOf(true)).toEqual([102]);
  expect(faultsOf(false)).toEqual([102]);
});
