import type { Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";

/** Which of the two legs of an order with take profit and stop loss. */
export type LegKind = "takeProfit" | "stopLoss";

/** The part that an order plays for its strategy. */
export type OrderRole = "quote" | "stop" | "take" | LegKind;

/**
 * How an order was created: `placed` on its own, as a `replacement` of an order that is canceled for it, by a `modify` of another
 * order, as a `leg` of a quote, or `adopted` from an earlier run.
 */
export type OrderOrigin = "placed" | "replacement" | "modify" | "leg" | "adopted";

/**
 * What we know about an order; order-machine.ts has the transitions.
 *
 * `in-flight`: its request is open and the venue has not reported it yet. `unknown`: the request has no readable response, or none in
 * time although it may still be open, so the order counts as live exposure until the venue, queried by id, says otherwise. `working`: the venue has it.
 * `pending`: a leg of an order with take profit and stop loss that the venue has not placed yet; the entry decides whether it is
 * placed at all. `ended`: terminal, or never placed (then `status` is undefined), or lost (then `isLost`).
 */
export type OrderPhase = "in-flight" | "unknown" | "pending" | "working" | "ended";

/**
 * The state of an order for people. `sent`: in flight. `canceling`: a cancel of it, or a modify that replaces it, is under way. The
 * others are phases.
 */
export type OrderState = "sent" | "unknown" | "pending" | "working" | "canceling" | "ended";

/** The venue's status of an order, or ours where it has reported none. */
export type ShownStatus = OrderStatus | "UNKNOWN" | "NEVER_PLACED" | "LOST";

/**
 * One of our orders at one moment, with what pages, logs, summaries and reports show about it. Immutable plain data; flat,
 * since it is also a row of the export and of JSON outputs.
 */
export interface OrderSnapshot {
  /** The kernel's number of the order; negative for an order of an earlier run. */
  readonly intent: number;
  /** Undefined until it is signed. */
  readonly orderId: OrderId | undefined;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly role: OrderRole;
  readonly origin: OrderOrigin;
  /** Level of a quote, and of its legs; undefined for other orders. */
  readonly key: string | undefined;
  /** Intent of a leg's quote; undefined for other orders, and when the quote ended before this run. */
  readonly entry: number | undefined;
  readonly side: Side;
  /** Limit price; 0 for a market order. */
  readonly price: number;
  /** Only for stop orders and stop-loss legs. */
  readonly stopPrice: number | undefined;
  /** Only for a quote with legs. */
  readonly tpsl: Tpsl | undefined;
  /** Original quantity in base token, as are the next two. */
  readonly quantity: Fixed;
  readonly executed: Fixed;
  /** What may still fill; 0 once it has ended. */
  readonly remaining: Fixed;
  readonly phase: OrderPhase;
  readonly state: OrderState;
  /** The venue's status, or ours where it has reported none. */
  readonly status: ShownStatus;
  /** Rests in the book at its price, as far as we know. */
  readonly isResting: boolean;
  /** Waits for a trade at its stop price. */
  readonly waitsForTrigger: boolean;
  /** The stop order fired. */
  readonly isTriggered: boolean;
  /** A cancel of it, or a modify that replaces it, was sent at least once. */
  readonly wasCanceled: boolean;
  /** The venue refused or rejected its placement. False for a refused modify, whose original may have been filled first. */
  readonly isRejected: boolean;
  /** Why it is being canceled or has ended; empty while it works and when it was filled. */
  readonly reason: string;
  /** Nonce of its transaction, 0 when unknown. A time nonce is about when it was placed, venue time. */
  readonly nonce: number;
  readonly madeAtMs: UnixMs;
}

/** An order that has changed, and its previously published snapshot; `before` is undefined for a new order. */
export interface OrderUpdate {
  readonly order: OrderSnapshot;
  readonly before: OrderSnapshot | undefined;
}
