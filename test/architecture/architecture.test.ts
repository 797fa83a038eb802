import { describe, expect, test } from "vitest";
import {
  type Check,
  checkAmbient,
  checkCycles,
  checkEscapes,
  checkLibraries,
  checkNames,
  checkRooms,
} from "./checks.ts";
import { readSourceFiles } from "./source-file.ts";

// A strategy's own test beside it is its writer's (`touchline new strategy`), and no part of the house.
const sources = readSourceFiles("src", "strategies").filter(
  ({ path }) => !/^strategies\/.*\.test\.ts$/.test(path),
);
const all = [...sources, ...readSourceFiles("test")];

describe("the sources", () => {
  test.each<[string, Check, typeof sources]>([
    ["import only rooms that their room may import", checkRooms, sources],
    ["import libraries only where they belong", checkLibraries, sources],
    ["touch no clock, chance, I/O or promise in the core", checkAmbient, sources],
    ["have no import cycles", checkCycles, sources],
    ["have names that say something", checkNames, all],
    ["do not escape the type checker", checkEscapes, all],
  ])("%s", (_, check, files) => {
    expect(check(files)).toEqual([]);
  });
});
