import { framesOf, placeOfFrames } from "../config/stack-frames.ts";
import type { StrategyHook } from "../metrics/call-time-row.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";

/** An error of a strategy whose message ends with the place that threw it. */
class PlacedError extends Error {}

/** The same strategy, with each call of its functions made by `made`. Its errors get file and line of the strategy in their messages. */
export function wrappedStrategy(
  definition: StrategyDefinition,
  made: <Result>(hook: StrategyHook, call: () => Result) => Result,
): StrategyDefinition {
  const around: typeof made = (hook, call) =>
    made(hook, () => {
      try {
        return call();
      } catch (thrown) {
        throw withPlace(thrown);
      }
    });
  const { state, describe } = definition;
  const wrapped: StrategyDefinition = {
    ...definition,
    init: (input) => around("init", () => definition.init(input)),
    decide: (input) => around("decide", () => definition.decide(input)),
    ...(describe && { describe: (memory) => around("describe", () => describe(memory)) }),
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

/** What is no error, or has no place in its stack, stays as it is. */
function withPlace(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof PlacedError) return thrown;
  const place = placeOfFrames(framesOf(thrown));
  if (place === undefined) return thrown;
  const placed = new PlacedError(`${thrown.message || thrown.name} (${place})`, { cause: thrown });
  return Object.assign(placed, { stack: thrown.stack });
}
