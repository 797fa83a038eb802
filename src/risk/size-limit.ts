import { baseAmount } from "../domain/base-amount.ts";
import { Decimal, fixedOf } from "../domain/decimal.ts";
import { fixedFromNumber, type Fixed, fixedText, mulRoundHalfUp, ZERO } from "../domain/fixed.ts";
import { AMOUNT_DECIMALS } from "./exposure.ts";
import type { DenyReason } from "./reason.ts";

/** A quantity as a limit: in base token, or what it is worth in quote token. */
export type SizeLimit = Fixed | { readonly quote: Fixed };

export function sizeLimit(options: { readonly zero?: boolean } = {}) {
  return baseAmount(options).transform(
    (written): SizeLimit =>
      written instanceof Decimal ? fixedOf(written) : { quote: fixedOf(written.quote) },
  );
}

export function sizeLimitText(limit: SizeLimit): string {
  return typeof limit === "bigint" ? fixedText(limit) : `${fixedText(limit.quote)} quote`;
}

/** As a configuration has it. */
export function writtenSizeLimit(limit: SizeLimit): string | { readonly quote: string } {
  return typeof limit === "bigint" ? fixedText(limit) : { quote: fixedText(limit.quote) };
}

/** The reason when a quantity is beyond a limit, or cannot be measured: its size, or the mid, is not known. */
export function beyondSize(
  rule: "max-order-size" | "max-position" | "max-net",
  limit: SizeLimit,
  size: Fixed | undefined,
  mid: number | undefined,
): DenyReason | undefined {
  if (size !== undefined && size <= ZERO) return undefined;
  if (size === undefined || (typeof limit !== "bigint" && mid === undefined)) {
    return { rule, limit: sizeLimitText(limit), actual: "no mid to measure it" };
  }
  if (typeof limit === "bigint") {
    if (size <= limit) return undefined;
    return { rule, limit: sizeLimitText(limit), actual: fixedText(size) };
  }
  const quote = mulRoundHalfUp(fixedFromNumber(mid ?? 0), size, AMOUNT_DECIMALS);
  if (quote <= limit.quote) return undefined;
  return { rule, limit: sizeLimitText(limit), actual: sizeLimitText({ quote }) };
}
