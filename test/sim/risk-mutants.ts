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
    search: "Object.assign(of.operator, { isPaused,",
    replace: "Object.assign(of.operator, {",
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
    name: "a book that the events do not reach is never replaced",
    file: "src/kernel/freshness/book-fact.ts",
    search: "else if (nowMs >= newer.untilMs) {",
    replace: "else if (nowMs < newer.untilMs - 1e9) {",
    faults: "channel-dies",
    isAlone: true,
  },
  {
    name: "a channel that had to be corrected again is not brought back",
    file: "src/kernel/freshness/channel-health.ts",
    search: "const BEHIND_FROM = 2;",
    replace: "const BEHIND_FROM = 1_000_000;",
    faults: "subscription-lost",
    isAlone: true,
  },
  {
    name: "a fact that nothing has shown for half of its limit is not read",
    file: "src/kernel/freshness/rereads.ts",
    search: "return Math.max(againMs, Math.min(checkedMs, fresh.provenMs + limitMs / 2));",
    replace: "return Math.max(againMs, checkedMs);",
    faults: "market-dies",
  },
  {
    name: "an event that does not come is no hint",
    file: "src/kernel/freshness/account.ts",
    search:
      'if (overdue === "told") fresh.missed();\n  if (overdue !== "none") fresh.suspect(nowMs - checkMs, "an event did not come");',
    replace: "",
  },
];
