import type { Mutant } from "./mutants.ts";

/** Deliberate bugs that only worlds with a second market or another addition to the bot can notice. */
export const worldMutants: readonly Mutant[] = [
  {
    name: "the limits of a single market are ignored",
    file: "src/risk/gate.ts",
    search: "const values = limitsFor(this.#settings, marketId);",
    replace: "const values = this.#settings;",
  },
];
