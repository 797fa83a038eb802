import { expect, it } from "vitest";
import { importedPath, readSourceFiles, roomOf } from "../architecture/source-file.ts";

/** Names and defaults of the risk ladder's settings, which users write too. */
const SETTINGS: readonly string[] = ["src/risk/settings.ts", "src/risk/triggers.ts"];
/** What both the bot and the venue are made of. */
const SHARED: readonly (string | undefined)[] = ["base", "domain", "spec", "exchange"];

it("invariants run no code of the bot but what both sides share, and settings of the risk ladder", () => {
  const sources = new Map(readSourceFiles("src/sim").map((file) => [file.path, file]));
  const seen = new Set<string>();
  const foreign = new Set<string>();
  const follow = (path: string): void => {
    const file = sources.get(path);
    if (file === undefined || seen.has(path)) return;
    seen.add(path);
    for (const { specifier, typeOnly } of file.imports) {
      const imported = typeOnly ? undefined : importedPath(file, specifier);
      if (imported === undefined) continue;
      if (sources.has(imported)) follow(imported);
      else if (!SHARED.includes(roomOf(imported))) foreign.add(imported);
    }
  };
  follow("src/sim/invariants.ts");
  expect(seen.size).toBeGreaterThan(40);
  expect([...foreign].sort()).toEqual(SETTINGS);
});
