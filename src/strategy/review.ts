import { Decimal, decimalOf } from "../domain/decimal.ts";
import { type Fixed, fixedText } from "../domain/fixed.ts";
import { percentText } from "../domain/setting.ts";
import type { StrategyDefinition } from "./contract.ts";
import { shown, thrownText } from "./shown.ts";

/** The smallest order of a market: at this mid, or without one at any price. */
export interface SmallestOrder {
  readonly size: Fixed;
  readonly mid?: number;
}

/** The warnings of a strategy's `review`, and those that hold for every strategy. A review that throws or returns no list is a warning of its own. */
export function reviewOf(
  definition: StrategyDefinition,
  input: Parameters<NonNullable<StrategyDefinition["review"]>>[0],
  smallest?: SmallestOrder,
): readonly string[] {
  const general = [...wideSpreads(input.params), ...smallSizes(input.params, smallest)];
  try {
    const warnings: unknown = definition.review?.(input) ?? [];
    if (Array.isArray(warnings)) return [...general, ...warnings.map(String)];
    return [...general, `review returned ${shown(warnings)}, not a list of texts`];
  } catch (thrown) {
    return [...general, `review failed: ${thrownText(thrown, "review")}`];
  }
}

/** No market maker means such a spread, but 0.1 for 0.1%. */
const WIDE = 0.1;

/** Spreads are shares of the price wherever they are at most 1. */
function wideSpreads(params: unknown): readonly string[] {
  return Object.entries(Object(params)).flatMap(([name, value]) => {
    const wide = [value].flat().find((one) => typeof one === "number" && one >= WIDE && one <= 1);
    if (!/spread$/i.test(name) || typeof wide !== "number") return [];
    return [
      `${name} is ${percentText(wide)} of the price: 0.1% is written with its sign, or as 0.001`,
    ];
  });
}

function smallSizes(params: unknown, smallest: SmallestOrder | undefined): readonly string[] {
  if (smallest === undefined) return [];
  const { mid } = smallest;
  const least = decimalOf(smallest.size);
  const sizes: readonly unknown[] = [Reflect.get(Object(params), "size")].flat();
  const isSmall = sizes.some((size) => {
    if (size instanceof Decimal) return size.lt(least);
    const quote: unknown = Reflect.get(Object(size), "quote");
    return quote instanceof Decimal && mid !== undefined && quote.div(mid).lt(least);
  });
  const where = mid === undefined ? "any price" : String(mid);
  return isSmall
    ? [
        `size is below the venue's smallest order at ${where} (${fixedText(smallest.size)}): nothing is placed`,
      ]
    : [];
}
