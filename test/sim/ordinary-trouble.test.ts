import { expect, it } from "vitest";
import { simulationTools } from "../../src/sim/simulation-tools.ts";
import { repeatCommand, runWorld, type WorldOptions } from "../../src/sim/world.ts";

const plain = {
  faultsMs: 60_000,
  kinds: 0,
  besides: [],
  neverModify: false,
  contingent: false,
  twice: false,
  log: false,
} as const;

const storm = [
  "answers-lost",
  "answers-cut",
  "unavailable",
  "sockets-cut",
  "frames-lost",
  "frames-twice",
];

const worlds = (seeds: readonly number[], options: Partial<WorldOptions>): WorldOptions[] =>
  seeds.map((seed) => ({ ...plain, faults: [], ...options, seed }));

/** The command that repeats a world and what it breaks; empty when it keeps every invariant. */
async function verdict(world: WorldOptions): Promise<readonly string[]> {
  const { violations } = await runWorld(world, await simulationTools());
  return violations.length === 0 ? [] : [repeatCommand(world), ...violations];
}

const timeout = 120_000;

it.each(worlds([2, 3, 4], { faults: ["cancels-lost"], neverModify: true }))(
  "a cancel whose first request is lost leaves no surplus order, world $seed",
  { timeout },
  async (world) => expect(await verdict(world)).toEqual([]),
);

it.each(worlds([1, 2, 3], { faults: ["user-channel-silent"] }))(
  "quotes are back within seconds of a fill while the user channel is silent, world $seed",
  { timeout },
  async (world) => expect(await verdict(world)).toEqual([]),
);

it.each(worlds([102, 104, 110], { faults: storm, faultsMs: 20_000 }))(
  "every order is on its target within seconds of a storm, world $seed",
  { timeout },
  async (world) => expect(await verdict(world)).toEqual([]),
);
