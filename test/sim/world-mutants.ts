import type { Mutant } from "./mutants.ts";

/** Deliberate bugs that only worlds with a second market or another addition to the bot can notice. */
export const worldMutants: readonly Mutant[] = [
  {
    name: "the limits of a single market are ignored",
    file: "src/risk/gate.ts",
    search: "const values = limitsFor(this.#settings, marketId);",
    replace: "const values = this.#settings;",
  },
  {
    name: "derived limits of orders limit nothing",
    file: "src/kernel/risk/derive-limits.ts",
    search: "    state.gate.setLimits(item.marketId, { [item.limit]: value });",
    replace: "",
  },
  {
    name: "a restart derives limits anew",
    file: "src/kernel/risk/derive-limits.ts",
    search: 'apply(state, { ...item, value }, "LIMIT_KEPT");',
    replace: "{}",
  },
  {
    name: "a watchdog takes the orders of the journal for ended",
    file: "src/runtime/journal-cancels.ts",
    search: "if (header === undefined || open.length === 0) return [];",
    replace: "if (header === undefined || open.length >= 0) return [];",
  },
  {
    name: "an order that was taken over is not in the journal",
    file: "src/kernel/orders/adoption.ts",
    search: "  state.step.adopted.push(taken);",
    replace: "",
    faults: "operator-takes-over",
  },
];
