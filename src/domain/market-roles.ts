import type { MarketId } from "./ids.ts";

/** A strategy's name for its own market, the first of `StrategyDefinition.markets`. */
export const OWN_MARKET = "main";

/** What trades in a market, and maybe in others. */
export interface TradesIn {
  /** Its own market. */
  readonly marketId: MarketId;
  /** Its other markets, by its names for them, in their order. */
  readonly otherMarkets?: Readonly<Record<string, MarketId>> | undefined;
}

/** A market of a strategy, and the strategy's name for it. */
export interface MarketRole {
  readonly role: string;
  readonly marketId: MarketId;
}

/** The markets of a strategy, its own first. */
export function marketsOf({ marketId, otherMarkets = {} }: TradesIn): readonly MarketRole[] {
  const others = Object.entries(otherMarkets).map(([role, id]) => ({ role, marketId: id }));
  return [{ role: OWN_MARKET, marketId }, ...others];
}

/** All markets of strategies, each once. */
export function marketIdsOf(strategies: readonly TradesIn[]): readonly MarketId[] {
  return [...new Set(strategies.flatMap(marketsOf).map(({ marketId }) => marketId))];
}

/** A strategy in one of its markets, as figures have it: one row each. */
export interface StrategyPart extends MarketRole {
  /** `maker` in its own market, `maker/hedge` in another. */
  readonly name: string;
  readonly strategy: string;
}

/** What belongs to a strategy in a market. */
export type Owned = Pick<StrategyPart, "strategy" | "marketId">;

/** The name of a strategy's part. */
export function partName(strategy: string, role: string): string {
  return role === OWN_MARKET ? strategy : `${strategy}/${role}`;
}

/** The parts of strategies, in their order; those of a strategy follow each other, its own market first. */
export function partsOf(
  strategies: readonly ({ readonly name: string } & TradesIn)[],
): readonly StrategyPart[] {
  return strategies.flatMap((one) =>
    marketsOf(one).map(({ role, marketId }) => ({
      name: partName(one.name, role),
      strategy: one.name,
      role,
      marketId,
    })),
  );
}

/** The part of a strategy in a market; undefined when it does not trade there. */
export function partOf(
  strategies: Parameters<typeof partsOf>[0],
  strategy: string,
  marketId: MarketId,
): StrategyPart | undefined {
  return partsOf(strategies).find(
    (part) => part.strategy === strategy && part.marketId === marketId,
  );
}
