import { describe, expect, test } from "vitest";
import { listRuns, entriesOfRun } from "../../src/journal/segments.ts";
import { recordedStrategies } from "../../src/cli/journal-tools.ts";
import { type ComparedRun, comparedRun } from "../../src/parity/compared-run.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { liveWorld, stopped, strategiesOf, type World } from "../runtime/live-world.ts";

/** Journals of the code of `run`, on a paper venue whose synthetic traders react to the bot. */

const LATENCIES = ["0ms", "200ms"];

async function compared(world: World, latencies: readonly string[]): Promise<ComparedRun> {
  const run = listRuns(world.store, "journal").at(-1);
  if (run === undefined) throw new Error("no run in the journal");
  const steps = comparedRun({
    header: run.header,
    entries: entriesOfRun(world.store, run),
    strategies: await recordedStrategies(run.header, { config: undefined, trust: true }),
    decisions: "recorded",
    fills: [defaultFills],
    latencies,
    windowMs: 500,
    keccak256: (bytes) => world.crypto.keccak256(bytes),
  });
  return runAll(steps);
}

/** A market that trades often with quotes that are this near. */
const near = {
  bidSpread: "0.02%",
  askSpread: "0.02%",
  size: "0.5",
  levels: 2,
  levelSpread: "0.02%",
  refresh: "500ms",
  tolerance: "0.01%",
};

async function recorded(oneWayMs: number): Promise<World> {
  const world = await liveWorld(5, {
    flow: { synthetic: { prices: { "1_2": 2000 }, takerEveryMs: 500 } },
  });
  world.network.faults.latencyMs = [oneWayMs, oneWayMs];
  const strategies = strategiesOf([{ name: "maker" }]).map((strategy) => ({
    ...strategy,
    params: strategy.definition.params.parse(near),
    writtenParams: near,
  }));
  const bot = await world.start({ strategies });
  await world.clock.runFor(60_000);
  await stopped(world, bot);
  return world;
}

describe.each([
  { oneWayMs: 0, best: "0ms" },
  { oneWayMs: 200, best: "200ms" },
])("a live run whose messages take $oneWayMs ms", ({ oneWayMs, best }) => {
  test("is distinguished from another latency", async () => {
    const { report, warnings } = await compared(await recorded(oneWayMs), LATENCIES);
    expect(report.live.fills).toBeGreaterThan(30);
    expect(warnings.filter((text) => text.includes("few"))).toEqual([]);
    expect(report.best).toMatchObject({ latency: best });
    expect(report.best?.score).toBeGreaterThan(0.9);
    expect(report.alike.latencies).toEqual([best]);
  });
});
