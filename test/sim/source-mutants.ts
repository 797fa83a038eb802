import type { Mutant } from "./mutants.ts";

/** Deliberate bugs that only worlds with price sources can notice. */
export const sourceMutants: readonly Mutant[] = [
  {
    name: "a source that is too old pulls no quotes",
    file: "src/kernel/sources/sources.ts",
    search: 'if (source.config.whenOld !== "stop") continue;',
    replace: "continue;",
  },
  {
    name: "a source that is too old widens no quotes",
    file: "src/kernel/sources/sources.ts",
    search:
      '(source) => source.config.whenOld === "widen" && oldReason(state, source) !== undefined,',
    replace: "() => false,",
  },
  {
    name: "reduce only ends the widening of an old source",
    file: "src/kernel/risk/quote-mode.ts",
    search: 'return isBySource ? "widenedReduceOnly" : "reduceOnly";',
    replace: 'return "reduceOnly";',
  },
  {
    name: "a price that jumps is believed at once",
    file: "src/kernel/sources/jump-guard.ts",
    search:
      "if (reference === undefined || isSmallMove(source, reference, next, state.nowMs)) return true;",
    replace: "return true;",
  },
  {
    name: "a price that jumps is never believed",
    file: "src/kernel/sources/jump-guard.ts",
    search:
      "return source.doubt.count >= STAND_COUNT && state.nowMs - first.receivedMs >= STAND_MS;",
    replace: "return false;",
  },
  {
    name: "an impossible price is a price",
    file: "src/kernel/sources/sources.ts",
    search: "return bid > 0 && bid <= ask && ask < NEVER;",
    replace: "return true;",
  },
  {
    name: "an old price is seen for twice as long",
    file: "src/kernel/sources/sources.ts",
    search: "if (state.nowMs - receivedMs(state, source) <= config.maxAgeMs) return undefined;",
    replace:
      "if (state.nowMs - receivedMs(state, source) <= 2 * config.maxAgeMs) return undefined;",
  },
];
