import type { Described } from "../domain/described.ts";
import { plainText } from "../base/plain-text.ts";
import type { StrategyDefinition } from "./contract.ts";
import { faultOf } from "./shown.ts";

const MAX_ENTRIES = 50;
const MAX_TEXT = 200;
const NAME = /^[A-Za-z]\w{0,49}$/;

/** What `describe` says of a state, for people. A fault of it is shown instead and ends nothing, since it is no part of the trading. */
export function describedBy({ describe }: StrategyDefinition, state: unknown): Described {
  if (describe === undefined) return {};
  try {
    return Object.fromEntries(
      Object.entries(describe(state))
        .filter(([name]) => NAME.test(name))
        .slice(0, MAX_ENTRIES)
        .map(([name, value]) => [name, shownValue(value)]),
    );
  } catch (thrown) {
    return { describe: shownValue(faultOf(thrown, "describe").message) };
  }
}

function shownValue(value: unknown): number | string {
  return typeof value === "number" && Number.isFinite(value)
    ? value
    : plainText(String(value)).slice(0, MAX_TEXT);
}
