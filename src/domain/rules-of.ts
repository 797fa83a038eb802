import { fixedRules } from "./fixed-rules.ts";
import { gridRules } from "./grid-rules.ts";
import type { Market } from "./market.ts";
import type { FixedRulesSpec, MarketRules } from "./market-rules.ts";

const known = new WeakMap<FixedRulesSpec, MarketRules>();

/** The rules that a market carries, as functions; the same object each time. */
export function rulesOf({ rules: spec }: Pick<Market, "rules">): MarketRules {
  if (spec.type === "grid") return gridRules;
  let rules = known.get(spec);
  if (rules === undefined) {
    rules = Object.freeze(fixedRules(spec));
    known.set(spec, rules);
  }
  return rules;
}
