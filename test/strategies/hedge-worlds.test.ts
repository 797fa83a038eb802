import { expect, test } from "vitest";
import { loadKeccak256 } from "../../src/platform/keccak.ts";
import { hedgeWorld, SIZE, type Trouble, type WorldResult } from "./hedge-world.ts";

/** WORLDS=1000 runs as many of each kind and prints what they showed. */
const worlds = Number(process.env["WORLDS"] ?? 1);
const keccak256 = await loadKeccak256();
/** For some clips a quarter of a second apart, ways to the venue and back, and a trade after a jump. */
const HEDGE_MS = 3_000;

test.each<Trouble>(["none", "stale", "halted", "gapped"])(
  "what is not hedged is bounded in size and time while the hedge market is in trouble: %s",
  (trouble) => {
    const results: WorldResult[] = [];
    for (let seed = 1; seed <= worlds; seed += 1) {
      const result = hedgeWorld(seed, trouble, keccak256);
      results.push(result);
      const bound = 2 * SIZE + result.least;
      expect(result.mostUnhedged, `seed ${seed}`).toBeLessThan(bound);
      expect(result.longestMs, `seed ${seed}`).toBeLessThan(HEDGE_MS);
      expect(result.exposureSeconds, `seed ${seed}`).toBeLessThan(
        (bound * (result.troubleMs + HEDGE_MS * result.fills)) / 1_000,
      );
    }
    expect(results.some(({ fills, hedges }) => fills > 5 && hedges > 5)).toBe(true);
    if (process.env["WORLDS"] === undefined) return;
    const most = (of: (one: WorldResult) => number) => Math.max(...results.map(of)).toFixed(3);
    const mean = (of: (one: WorldResult) => number) =>
      (results.reduce((sum, one) => sum + of(one), 0) / worlds).toFixed(3);
    process.stdout.write(
      `${trouble}: ${worlds} worlds, fills ${mean((one) => one.fills)}, most unhedged ${most((one) => one.mostUnhedged)}, ` +
        `exposure × time mean ${mean((one) => one.exposureSeconds)}, most ${most((one) => one.exposureSeconds)} base·s, ` +
        `longest outside ${most((one) => one.longestMs)} ms, trouble at most ${most((one) => one.troubleMs)} ms, pnl ${mean((one) => one.pnl)}\n`,
    );
  },
);
