import { gridRules } from "../domain/grid-rules.ts";
import { type Argument, decimal, type Option } from "./option.ts";

/**
 * A limit price as decimal text; throws a plain Error that says what is allowed. All markets of this venue have the grid of
 * §4.5, so the price is judged before the venue is called.
 */
export function parseLimitPrice(written: string): string {
  const value = decimal("<price>", "").parse(written);
  const problem = gridRules.priceProblem(value);
  if (problem === undefined) return value;
  throw new Error(
    `has ${problem.replaceAll("-", " ")}: at most 5 count, fewer decimals the higher it is`,
  );
}

/** A limit price, or `market`. */
export function priceArgument(about: string): Argument<string> {
  return {
    form: "<price>",
    about,
    parse: (written) => (written.toLowerCase() === "market" ? "market" : parseLimitPrice(written)),
  };
}

export function priceOption(flags: string, about: string): Option<string, undefined> {
  return { flags, about, fallback: undefined, parse: parseLimitPrice };
}
