import type { StrategyHook } from "../metrics/call-time-row.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";

/** The same strategy, with each call of its functions made by `around`. */
export function wrappedStrategy(
  definition: StrategyDefinition,
  around: <Result>(hook: StrategyHook, call: () => Result) => Result,
): StrategyDefinition {
  const { state } = definition;
  const wrapped: StrategyDefinition = {
    ...definition,
    init: (input) => around("init", () => definition.init(input)),
    decide: (input) => around("decide", () => definition.decide(input)),
  };
  if (state === undefined) return wrapped;
  return {
    ...wrapped,
    state: {
      version: state.version,
      save: (memory) => around("state.save", () => state.save(memory)),
      load: (data, version, memory) =>
        around("state.load", () => state.load(data, version, memory)),
    },
  };
}
