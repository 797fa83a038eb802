import { type LimitPlace, placeText } from "../../orders/carried.ts";
import type { DerivedSettings, KernelConfig } from "../config.ts";

/** The limits that the configuration leaves unset and that are not derived yet (docs/decisions/029). */
export interface DerivedState {
  /** By `placeText`, in the order of the configuration. */
  readonly missing: Map<string, LimitPlace>;
  /** Since when the bot runs, our clock; undefined before. */
  runsSinceMs: number | undefined;
}

/** Whether the loss stop of a strategy, or of the whole bot, is derived. */
export function derivesLoss(
  derives: DerivedSettings | undefined,
  strategy: string | undefined,
): boolean {
  if (derives === undefined) return false;
  const { dayLoss } = derives;
  return strategy === undefined
    ? dayLoss === "bot"
    : dayLoss !== "bot" && dayLoss.includes(strategy);
}

/** Undefined when the configuration sets every limit, and in modes that derive none. */
export function makeDerived({ derives, risk, strategies }: KernelConfig): DerivedState | undefined {
  if (derives === undefined) return undefined;
  const missing = new Map<string, LimitPlace>();
  const add = (place: LimitPlace): void => void missing.set(placeText(place), place);
  for (const { marketId } of strategies) {
    for (const limit of derives.limits) {
      if (risk.markets[marketId]?.[limit] === undefined) add({ limit, marketId });
    }
  }
  if (derives.dayLoss === "bot") add({ limit: "dayLoss" });
  else for (const strategy of derives.dayLoss) add({ limit: "dayLoss", strategy });
  return { missing, runsSinceMs: undefined };
}
