import type { MarketId } from "../../domain/ids.ts";

/** How far and how long positions are worked off. */
export interface FlattenTerms {
  /** Worst price of each take, as a share beyond the opposite touch. */
  readonly maxSlippage: number;
  readonly withinMs: number;
}

/** What a flatten left of a position. */
export interface FlattenLeft {
  readonly strategy: string;
  readonly marketId: MarketId;
  /** Base token, signed, decimal text. */
  readonly position: string;
  /** It is less than the smallest order of the market. */
  readonly isDust: boolean;
  /** Why it is left, as text for people. */
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
