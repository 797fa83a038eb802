import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifyTools } from "../../src/cli/journal-tools.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { setQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import { liveWorld, stopped, strategiesOf } from "./live-world.ts";

/** A strategy whose price depends on what `offset` returns, in thousandths of the mid. */
function quotingAt(offset: () => number): StrategyDefinition {
  return {
    name: "offset",
    params: z.unknown(),
    init: () => ({}),
    decide({ view }) {
      const price = (view.book.mid ?? 0) * (0.99 + offset() / 1_000);
      return setQuotes({ bids: [{ price, size: "0.1" }], wakeAtMs: view.nowMs + 1_000 });
    },
  };
}

/** What the re-run of a run with this strategy finds first; undefined when it is the same bit for bit. */
async function differenceOf(definition: StrategyDefinition): Promise<string | undefined> {
  const world = await liveWorld(61);
  const strategies = strategiesOf([{ name: "maker", definition }]);
  const bot = await world.start({ strategies });
  await world.clock.runFor(10_000);
  const { summary } = await stopped(world, bot);
  expect(summary.quotesPlaced).toBeGreaterThan(0);
  const [run] = listRuns(world.store, "journal");
  if (run === undefined) throw new Error("no run");
  const { header } = run;
  const bare = { ...header, strategies: [] };
  const tools = await verifyTools(bare, world.crypto, { config: undefined, trust: true });
  const verified = verifyRun(header, entriesOfRun(world.store, run), {
    ...tools,
    kernelOf: () => new Kernel({ ...header.kernel, markets: header.markets, strategies }),
  });
  return verified.firstDifference?.what;
}

describe("a re-run of a strategy", () => {
  it("is the same bit for bit when it uses only what decide receives", async () => {
    expect(await differenceOf(quotingAt(() => 0))).toBeUndefined();
  });

  it("differs, and verify says so, when it counts in a variable outside its state", async () => {
    let calls = 0;
    expect(await differenceOf(quotingAt(() => (calls += 1) % 7))).toBe("effects");
  });

  it("differs, and verify says so, when it draws random numbers", async () => {
    expect(await differenceOf(quotingAt(() => Math.random() * 10))).toBe("effects");
  });
});
