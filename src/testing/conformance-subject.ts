import { OWN_MARKET } from "../domain/market-roles.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import type { AttackOptions } from "./attacked-market.ts";

/** A strategy that `conforms` judges. */
export interface Subject {
  readonly definition: StrategyDefinition;
  readonly options: AttackOptions;
  /** As a share of the price. */
  readonly maxLoss: number;
  readonly maxDecideMs: number;
}

/** What a unit lost at worst in an attack, and the half spread that it was quoted with, as shares of the fair price. */
export interface AttackLoss {
  /** Below 0: it still earned. */
  readonly loss: number;
  readonly halfSpread: number;
}

/** What is wrong with a strategy, or why a property does not apply, or what was measured; undefined when the property holds. */
export type Judgement =
  | string
  | { readonly skipped: string }
  | { readonly attack: AttackLoss }
  | undefined;

export type Property = (subject: Subject) => Promise<Judgement>;

export function rolesOf({ markets = [OWN_MARKET] }: StrategyDefinition): readonly string[] {
  return markets;
}

/** The first result that is not undefined. */
export function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const inMarket = (role: string): string => (role === OWN_MARKET ? "" : ` in ${role}`);

export const text = (price: number): string => String(Number(price.toPrecision(6)));
