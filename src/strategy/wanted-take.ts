import type { Decimal } from "../domain/decimal.ts";
import type { Side } from "../domain/side.ts";

/** What bounds the price of a take. */
export interface TakePrices {
  /** Worst price. Left out: the opposite touch and `maxSlippage`. */
  readonly limit?: number;
  /** Share by which the price may be worse than the opposite touch. Default 0.002 without a `limit`; beside one the tighter of both counts. */
  readonly maxSlippage?: number;
}

/**
 * An order that trades at once up to its worst price. It is cut to what the book offers within that price, and what does not trade is
 * canceled as soon as it is seen to rest. A name trades once: after its order it is sent again only after a decision without that name,
 * over restarts too.
 */
export interface WantedTake extends TakePrices {
  /** The strategy's own key. */
  readonly name: string;
  readonly side: Side;
  /** In base token, decimal text or a Decimal, cut down to the market's lot; 0 is left out. Give this or `quoteSize`. */
  readonly size?: string | Decimal;
  /** In quote token: a purchase spends at most this much, a sale brings about this much. */
  readonly quoteSize?: string | Decimal;
  /** What still rests this many milliseconds after sending is canceled in any case. Default 1000. */
  readonly within?: number;
  /** Sends a market order: its size is bounded as that of any take, its price by nothing once it was sent. */
  readonly market?: boolean;
}

/**
 * Brings the strategy's position in the market to `position` with takes, one after the other. It is computed from the position and all
 * own orders of that side as if they were filled, so it needs no memory and never goes beyond. It goes on until a decision leaves it out.
 */
export interface WantedWork extends TakePrices {
  /** In base token, negative for short. */
  readonly position: string | Decimal;
  /** Largest take, base token. */
  readonly clip: string | Decimal;
  /** Milliseconds from one take to the next. */
  readonly every: number;
}
