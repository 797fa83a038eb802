import { gridRules } from "../domain/grid-rules.ts";
import { type Argument, decimal, type Option } from "./option.ts";

/**
 * Parses a limit price on the venue's grid (§4.5) and returns its decimal text. Throws a plain Error that says what is allowed. All
 * markets of this venue have that grid, so the price is judged before the venue is called.
 */
export function parseLimitPrice(written: string): string {
  const value = decimal("<price>", "").parse(written);
  const problem = gridRules.priceProblem(value);
  if (problem === undefined) return value;
  throw new Error(
    `has ${problem.replaceAll("-", " ")}: at most 5 significant digits, and fewer decimals at higher prices`,
  );
}

/** An argument that is a limit price or the word `market`. */
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
