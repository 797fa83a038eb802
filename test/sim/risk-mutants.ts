import type { Edit, Mutant } from "./mutants.ts";

/** The risk rule denies what the restriction of targets lets through. */
const withoutRule: Edit = {
  file: "src/risk/rules/reduce-only.ts",
  search: "if (position === undefined) return undefined;",
  replace: "return undefined;",
};

/** Deliberate bugs of the risk ladder, of carried state and of the liveness of channels. */
export const riskMutants: readonly Mutant[] = [
  {
    name: "a step of the ladder is left as soon as the value falls",
    file: "src/risk/ladder.ts",
    search: "if (recoverAfterMs === undefined || rung.belowMs < recoverAfterMs) return;",
    replace: "",
  },
  {
    name: "steps of the ladder are forgotten over a restart",
    file: "src/kernel/carried.ts",
    search: 'for (const item of items) if (item.type === "risk") restoreRisk(state, item);',
    replace: "",
  },
  {
    name: "an operator's pause is forgotten over a restart",
    file: "src/kernel/carried.ts",
    search: "    state.paused = isPaused;",
    replace: "",
  },
  {
    name: "reduce only quotes both sides",
    file: "src/kernel/risk/restrict-targets.ts",
    search: "    .filter((quote) => quote.side === side)",
    replace: "",
    also: withoutRule,
  },
  {
    name: "reduce only may bring the position beyond 0",
    file: "src/kernel/risk/restrict-targets.ts",
    search: "rules.roundSize(minFixed(size, left))",
    replace: "rules.roundSize(size)",
    also: withoutRule,
  },
  {
    name: "a pause of the ladder pulls no quotes",
    file: "src/kernel/risk/risk-state.ts",
    search: 'if (standing === undefined || !isAtLeast(standing.step, "pause")) return undefined;',
    replace: 'if (standing === undefined || !isAtLeast(standing.step, "halt")) return undefined;',
  },
  {
    name: "a depth channel is never proven behind",
    file: "src/kernel/channels/depth-liveness.ts",
    search: "this.#behindSinceMs = Math.min(sinceMs, this.#doubtedSinceMs, this.#unshownSinceMs);",
    replace: "this.#behindSinceMs = NEVER;",
  },
  {
    name: "a silent depth channel is not checked",
    file: "src/kernel/channels/depth-liveness.ts",
    search: "this.#timing.crossChecks === true ? this.#checkedMs + this.#timing.limitMs : NEVER",
    replace: "NEVER",
  },
  {
    name: "a user channel whose events are overdue counts as live",
    file: "src/kernel/channels/user-liveness.ts",
    search: "if (isProven && nowMs - sinceMs >= this.#overdueMs) return sinceMs;",
    replace: "",
  },
];
