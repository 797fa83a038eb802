import { expect, it } from "vitest";
import { judged, storedWorlds } from "../sim/stored-worlds.ts";

/** Worlds of which `npm test` runs one, and those that it leaves out. */
const seeds = Array.from({ length: 16 }, (_, at) => 1_001 + at);

it.each([
  ...storedWorlds.filter(({ isLong }) => isLong),
  ...seeds.flatMap((seed) => [
    { seed, contingent: false, shows: "quotes" },
    { seed, contingent: true, shows: "stop orders, take profits and stop losses" },
  ]),
])("world $seed: $shows", async (stored) => expect((await judged(stored)).broken).toEqual([]));
