import type { Fixed } from "../domain/fixed.ts";

/** Where a stop order fires: when a trade prints at its price or beyond (D24). */
export type Firing = "at-or-above" | "at-or-below";

/** What makes an order a stop order. */
export interface TriggerCondition {
  readonly price: Fixed;
  readonly fires: Firing;
  /**
   * `idle` before a leg is placed, `waiting` in the market's stop book, `due` once a trade has reached it, `fired` when it
   * became an ordinary order.
   */
  state: "idle" | "waiting" | "due" | "fired";
  /** What is locked for it while it waits; a leg's is with its pair. */
  locked: Fixed;
}

/** Does a trade at `price` fire it? */
export function isReached(fires: Firing, stopPrice: number, price: number): boolean {
  return fires === "at-or-above" ? price >= stopPrice : price <= stopPrice;
}
