/**
 * Where an own order stands in the queue at its price. Recorded books have one quantity for a price and no orders, so how much of a
 * decrease stood in front of an own order has to be estimated. Whatever the model, trades at the price take from the front, an
 * increase joins the back, and a trade or a recorded price beyond an order's price fills it.
 */
export interface QueueModel {
  /** False: trades at an order's own price never fill it, only those beyond. */
  readonly fillsAtPrice: boolean;
  /** False: an order that a trade reaches is filled whole, whatever the trade's quantity. */
  readonly fillsInPart: boolean;
  /**
   * The quantity in front of an order after the quantity at its price fell from `before` to `after` without a trade. `front` is at most
   * `before`; the result is cut to between 0 and `after`.
   */
  frontAfter(front: number, before: number, after: number): number;
}

/** Only trades move the queue on: a decrease without a trade comes from the back first. */
export const riskAverseQueue: QueueModel = {
  fillsAtPrice: true,
  fillsInPart: true,
  frontAfter: (front) => front,
};
