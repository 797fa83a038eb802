import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isSoak } from "../support/soak.ts";
import { mutants } from "./mutants.ts";
import { editsOf, mutated } from "./mutated-sources.ts";

describe("the deliberate bugs of npm run mutants", () => {
  it.each(mutants)("$name: its text occurs once in the sources of today", (mutant) => {
    for (const edit of editsOf(mutant)) expect(mutated(edit)).toContain(edit.replace);
  });

  it.runIf(isSoak)("are noticed by a world and named with the invariant", () => {
    const runner = fileURLToPath(new URL("run-mutants.ts", import.meta.url));
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        "--conditions=touchline-source",
        runner,
        "--worlds",
        "3",
        "--from",
        "44",
        "--jobs",
        "1",
        "--only",
        "a time-out means not placed",
        "--faults",
        "requests-late,answers-lost",
      ],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(
      /\| a time-out means not placed \| `orders\/.*` \| \d+ \| (exposure|one-target-one-order) \|/,
    );
    expect(status).toBe(0);
  });

  it("have names of their own", () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
  });
});
