import type { StrategyDefinition } from "./contract.ts";
import { shown, thrownText } from "./shown.ts";

/** The warnings of a strategy's `review`. A review that throws or returns no list is a warning of its own. */
export function reviewOf(
  definition: StrategyDefinition,
  input: Parameters<NonNullable<StrategyDefinition["review"]>>[0],
): readonly string[] {
  try {
    const warnings: unknown = definition.review?.(input) ?? [];
    if (Array.isArray(warnings)) return warnings.map(String);
    return [`review returned ${shown(warnings)}, not a list of texts`];
  } catch (thrown) {
    return [`review failed: ${thrownText(thrown, "review")}`];
  }
}
