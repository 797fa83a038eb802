import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Game, play } from "./wild-game.ts";
import { wildDecision } from "./wild-strategy.ts";

/** In these games a wild strategy, too, places stop orders, and orders are modified: about one random game in thirty, and in eight, reach that. */
const rareSeeds = [11, 23, 61, 68, 94, 104, 142];

/** Plays with random seeds and with `rareSeeds`, and returns the games. */
function playAll(runs: number, game: Omit<Game, "seed" | "steps">): ReturnType<typeof play>[] {
  const games = rareSeeds.map((seed) => play({ ...game, seed, steps: 200 }));
  const seeds = fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
    games.push(play({ ...game, seed, steps: 200 }));
  });
  fc.assert(seeds, { numRuns: runs });
  return games;
}

const faultsIn = (games: readonly ReturnType<typeof play>[]): string[] =>
  games.flatMap(({ notes }) =>
    notes.flatMap((note) => (note.type === "strategyFault" ? [note.strategy] : [])),
  );

describe("a kernel", () => {
  it.each([true, false])(
    "survives a venue that says anything, with sane quantities: %s",
    (isSane) => {
      const games = playAll(15, { isSane });
      expect(faultsIn(games)).toEqual([]);
      const made = new Set(games.flatMap(({ commands }) => [...commands.keys()]));
      expect([...made].sort()).toEqual([
        "sane cancel",
        "sane modify",
        "sane place",
        "sane standby",
        "sane stop",
      ]);
    },
  );

  it("survives a strategy that returns anything, and so does the strategy beside it", () => {
    const games = playAll(20, { isSane: true, beside: wildDecision });
    const faults = faultsIn(games);
    expect(faults).toContain("odd");
    expect(faults).not.toContain("sane");
    const made = new Set(games.flatMap(({ commands }) => [...commands.keys()]));
    expect([...made]).toEqual(expect.arrayContaining(["odd place", "odd stop", "sane place"]));
  });
});
