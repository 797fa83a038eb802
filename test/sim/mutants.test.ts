import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { mutated } from "./mutated-sources.ts";

describe("the deliberate bugs of npm run mutants", () => {
  it.each(mutants)("$name: its text occurs once in the sources of today", (mutant) => {
    expect(mutated(mutant)).toContain(mutant.replace);
  });

  it("have names of their own", () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
  });
});
