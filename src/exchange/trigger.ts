import type { Fixed } from "../domain/fixed.ts";

/** On which side of its price a stop order fires when a trade prints there (D24). */
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
  /** The amount locked while it waits; legs are locked with their pair. */
  locked: Fixed;
}

/** Whether a trade at `price` fires the stop. */
export function isReached(fires: Firing, stopPrice: number, price: number): boolean {
  return fires === "at-or-above" ? price >= stopPrice : price <= stopPrice;
}
