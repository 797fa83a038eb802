import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { Proposal } from "../../risk/context.ts";
import type { BookView } from "../../strategy/view.ts";
import type { NamedOrder } from "../named-orders.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/** A take that may be sent once the own quotes in its way have ended. */
export interface PreparedTake {
  readonly slot: StrategySlot;
  readonly book: BookView;
  readonly record: NamedOrder;
  readonly proposal: Proposal;
  /** Own quotes of any strategy that it would meet. */
  readonly inWay: readonly TrackedOrder[];
}
