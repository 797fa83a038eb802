import { z } from "zod";
import { type Fixed, fixed, fixedFromNumber, mulFixed } from "./fixed.ts";
import { amount, settingRange, share } from "./setting.ts";

/** An amount of a token, or a share of what the account brought in of it. */
export type BudgetPart = { readonly amount: Fixed } | { readonly share: Fixed };

/** What a strategy may use of its market's tokens; a token that is left out is not limited. */
export interface Budget {
  readonly base?: BudgetPart | undefined;
  readonly quote?: BudgetPart | undefined;
}

const sharePart = share({ max: 1 }).transform((value) => ({ share: fixedFromNumber(value) }));
const amountPart = amount({ zero: true }).transform((value) => ({
  amount: fixed(value.toFixed()),
}));

/** `10` or `50%`. */
export function budgetPart() {
  return z
    .union([amountPart, sharePart], { error: "is not an amount or a share, such as 10 or 50%" })
    .register(settingRange, { range: "an amount from 0, or a share up to 100%" });
}

/** The budget when the account brought in `total` of the token. */
export function budgetAmount(part: BudgetPart, total: Fixed): Fixed {
  return "amount" in part ? part.amount : mulFixed(part.share, total);
}
