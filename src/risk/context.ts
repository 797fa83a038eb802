import type { PlaceCommand, StopKind } from "../domain/command.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { UnixMs } from "../domain/time.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";

/** A placement before it has its nonce. Cancels are of another type on purpose: nothing may ever hold them back. */
export interface Proposal extends Omit<PlaceCommand, "type" | "intent" | "nonce"> {
  /** Makes it a stop order. */
  readonly stop?: { readonly stopPrice: number; readonly kind: StopKind };
}

/** What the rules look at, as it stands at the moment of the check: earlier commands of the same step are in it. */
export interface RiskContext {
  readonly nowMs: UnixMs;
  /** The market of the proposal. */
  readonly market: Market;
  readonly isBookLive: boolean;
  /** Of the book less our own orders; undefined while it is not live or a side is empty. */
  readonly mid: number | undefined;
  /** Price of the market's newest public trade that we saw; undefined before the first. */
  readonly lastTrade: number | undefined;
  /** Last sign of life from the venue; undefined before the first. */
  readonly lastMessageMs: number | undefined;
  /**
   * Net base bought in this market by all strategies since the run began: their fills, and what the venue said was executed
   * although its fills are not known yet (`OrderTracker.missingFills`).
   */
  readonly position: Fixed;
  /** Every order of ours that has not ended, of all strategies and markets: in-flight and unknown ones too. */
  readonly orders: readonly TrackedOrder[];
  /**
   * What is left of a token for a new order: what the venue last said is unlocked, less the needs of own orders that this
   * word does not know yet (`Balances.free` over `orders`). Undefined before the first word.
   */
  free(token: TokenId): Fixed | undefined;
}
