import { marketIdsOf } from "../../domain/market-roles.ts";
import { type LimitPlace, placeText } from "../../orders/carried.ts";
import type { LimitsToDerive, KernelConfig } from "../config.ts";

/** The limits that the configuration leaves unset and that are not derived yet (docs/decisions/029). */
export interface DerivedState {
  /** By `placeText`, in the order of the configuration. */
  readonly missing: Map<string, LimitPlace>;
  /** Since when the bot runs, our clock; undefined before. */
  runsSinceMs: number | undefined;
}

/** Whether the loss stop of a strategy, or of the whole bot, is derived. */
export function derivesLoss(
  limitsToDerive: LimitsToDerive | undefined,
  strategy: string | undefined,
): boolean {
  if (limitsToDerive === undefined) return false;
  const { dayLoss } = limitsToDerive;
  return strategy === undefined
    ? dayLoss === "bot"
    : dayLoss !== "bot" && dayLoss.includes(strategy);
}

/** Undefined when the configuration sets every limit, and in modes that derive none. */
export function makeDerived({
  limitsToDerive,
  risk,
  strategies,
}: KernelConfig): DerivedState | undefined {
  if (limitsToDerive === undefined) return undefined;
  const missing = new Map<string, LimitPlace>();
  const add = (place: LimitPlace): void => void missing.set(placeText(place), place);
  for (const marketId of marketIdsOf(strategies)) {
    for (const limit of limitsToDerive.limits) {
      if (risk.markets[marketId]?.[limit] === undefined) add({ limit, marketId });
    }
  }
  if (limitsToDerive.dayLoss === "bot") add({ limit: "dayLoss" });
  else for (const strategy of limitsToDerive.dayLoss) add({ limit: "dayLoss", strategy });
  return { missing, runsSinceMs: undefined };
}
