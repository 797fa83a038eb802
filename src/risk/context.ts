import type { PlaceCommand, StopKind } from "../domain/command.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { UnixMs } from "../domain/time.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";

/** A placement without its nonce. Cancels have another type on purpose: nothing may ever hold them back. */
export interface Proposal extends Omit<PlaceCommand, "type" | "intent" | "nonce"> {
  /** Makes it a stop order. */
  readonly stop?: { readonly stopPrice: number; readonly kind: StopKind };
}

/** The state that rules judge by, at the moment of the check: it includes earlier commands of the same step. */
export interface RiskContext {
  readonly nowMs: UnixMs;
  /** Name of the proposal's own strategy. */
  readonly strategy: string;
  /** The market of the proposal. */
  readonly market: Market;
  readonly isBookLive: boolean;
  /** Mid of the book less our own orders; undefined while the book is not live or a side is empty. */
  readonly mid: number | undefined;
  /** Price of the newest public trade; undefined before the first. */
  readonly lastTrade: number | undefined;
  /** When the book and the own orders were last known to be as the venue has them, our clock; undefined before that. */
  readonly provenMs: number | undefined;
  /**
   * Net base held in this market by all strategies, positions of earlier runs included: known fills, and executed quantity whose
   * fills are not known yet (`OrderTracker.missingFills`).
   */
  readonly position: Fixed;
  /** As `position`, over all markets with the market's base token. */
  net(): Fixed;
  /** The position of the proposal's own strategy while it may only be reduced, as `position` is counted; undefined otherwise. */
  readonly reduceOnly: Fixed | undefined;
  /** Every order of ours that has not ended, of all strategies and markets: in-flight and unknown ones too. */
  readonly orders: readonly TrackedOrder[];
  /**
   * What is left of a token for a new order: the unlocked balance that the venue reported last, less the needs of own orders that
   * this report does not include yet (`Balances.free` over `orders`). Undefined before the first report.
   */
  free(token: TokenId): Fixed | undefined;
  /** What is left of the budget of the proposal's own strategy for a new order; undefined without one. */
  budgetFree(token: TokenId): Fixed | undefined;
}
