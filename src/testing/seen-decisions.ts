import type { Decision, StrategyDefinition } from "../strategy/contract.ts";

/** The definition, and a look at each decision with its input. */
export function seen(
  definition: StrategyDefinition,
  look: (decision: Decision, input: Parameters<StrategyDefinition["decide"]>[0]) => void,
): StrategyDefinition {
  return {
    ...definition,
    decide(input) {
      const decision = definition.decide(input);
      look(decision, input);
      return decision;
    },
  };
}
