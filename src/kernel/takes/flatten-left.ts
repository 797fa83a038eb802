import type { MarketId } from "../../domain/ids.ts";

/** How far and how long positions are worked off. */
export interface FlattenTerms {
  /** Worst price of each take, as a share beyond the opposite touch. */
  readonly maxSlippage: number;
  readonly withinMs: number;
}

/** What a flatten left of a strategy in a market: a position, orders or both. */
export interface FlattenLeft {
  readonly strategy: string;
  readonly marketId: MarketId;
  /** Base token, signed, decimal text. */
  readonly position: string;
  /** It is less than the smallest order of the market. */
  readonly isDust: boolean;
  /** Ids of own orders that are not known to have ended. */
  readonly orders: readonly string[];
  /** Why the position is left, as text for people. */
  readonly reason: string;
}

/** What was left, as text for people. */
export function leftText(left: readonly FlattenLeft[]): string {
  return left
    .map(
      ({ strategy, marketId, position, reason }) =>
        `${position} of ${strategy} in ${marketId} (${reason})`,
    )
    .join(", ");
}
