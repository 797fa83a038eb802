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
import { libraries } from "./libraries.ts";
import { rooms } from "./rooms.ts";
import { readSourceFiles, roomOf } from "./source-file.ts";

// A test beside a strategy belongs to the strategy's author (`touchline new strategy`).
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

describe("what is declared is there", () => {
  test("each room has a folder", () => {
    const folders = new Set(sources.map(({ path }) => roomOf(path)));
    expect(rooms.map(({ name }) => name).filter((name) => !folders.has(name))).toEqual([]);
  });

  test("each library is imported in every room that it is allowed in", () => {
    const imported = (library: string, room?: string): boolean =>
      sources.some(
        ({ path, imports }) =>
          (room === undefined || roomOf(path) === room) &&
          imports.some(({ specifier }) => belongsTo(specifier, library)),
      );
    const unused = Object.entries(libraries).flatMap(([library, places]) =>
      (typeof places === "string" ? [undefined] : places)
        .filter((room) => !imported(library, room))
        .map((room) => `${library}${room === undefined ? "" : ` in ${room}`}`),
    );
    expect(unused).toEqual([]);
  });
});

function belongsTo(specifier: string, library: string): boolean {
  if (library === "node:*") return specifier.startsWith("node:");
  return specifier === library || specifier.startsWith(`${library}/`);
}
