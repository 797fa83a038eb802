import type { Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { LegKind } from "./restored-order.ts";

/** What an order is to its strategy. */
export type OrderRole = "quote" | "stop" | LegKind;

/**
 * How an order came about: `placed` by itself, as a `replacement` of an order that is canceled for it, by a `modify` of another
 * order, as a `leg` of a quote, or `adopted` from an earlier run.
 */
export type OrderOrigin = "placed" | "replacement" | "modify" | "leg" | "adopted";

/**
 * What we know of an order; order-machine.ts has the moves.
 *
 * `in-flight`: its request is open and the venue has not reported it yet. `unknown`: the request ended without a readable response,
 * so it counts as live exposure until the venue, queried by id, says otherwise. `working`: the venue said it has it.
 * `pending`: a leg of an order with take profit and stop loss that the venue has not placed yet; the entry decides whether it is
 * placed at all. `ended`: terminal, or never placed (then `status` is undefined), or lost (then `isLost`).
 */
export type OrderPhase = "in-flight" | "unknown" | "pending" | "working" | "ended";

/**
 * Where an order stands, in one word. `sent`: in flight. `canceling`: a cancel of it, or a modify that replaces it, is under way.
 * The others are phases.
 */
export type OrderState = "sent" | "unknown" | "pending" | "working" | "canceling" | "ended";

/** The venue's status of an order, or ours where it has reported none. */
export type ShownStatus = OrderStatus | "UNKNOWN" | "NEVER_PLACED" | "LOST";

/**
 * One of our own orders, whole, as it stood at one moment: everything that pages, logs, summaries and strategies show of it.
 * Plain data that never changes.
 */
export interface OrderSnapshot {
  /** The kernel's number of it; negative for an order of an earlier run. */
  readonly intent: number;
  /** Undefined until it is signed. */
  readonly orderId: OrderId | undefined;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly role: OrderRole;
  readonly origin: OrderOrigin;
  /** Of a stop order: the strategy's own name of it. */
  readonly stopName: string | undefined;
  /** Of a leg: intent of its quote; undefined when that ended before this run. */
  readonly entry: number | undefined;
  readonly side: Side;
  /** Limit price; 0 of a market order. */
  readonly price: number;
  /** Of a stop order and of a stop-loss leg. */
  readonly stopPrice: number | undefined;
  /** Of a quote with legs. */
  readonly tpsl: Tpsl | undefined;
  /** Base token, as the next two. */
  readonly quantity: Fixed;
  readonly executed: Fixed;
  /** What may still fill; 0 once it has ended. */
  readonly remaining: Fixed;
  readonly phase: OrderPhase;
  readonly state: OrderState;
  /** The venue's status, or ours where it has said none. */
  readonly status: ShownStatus;
  /** Rests in the book at its price, as far as we know. */
  readonly isResting: boolean;
  /** Waits for a trade at its stop price. */
  readonly waitsForTrigger: boolean;
  /** Its stop price was reached. */
  readonly isTriggered: boolean;
  /** A cancel of it, or a modify that replaces it, was sent at least once. */
  readonly wasCanceled: boolean;
  /** The venue refused its placement, or rejected it. A refused modify is not: its original was there first. */
  readonly isRejected: boolean;
  /** Why it is canceled, or has ended; empty while it works, and when it was filled. */
  readonly reason: string;
  /** Nonce of its transaction, 0 when not known: with a time nonce about when it was placed, venue time. */
  readonly nonce: number;
  readonly madeAtMs: UnixMs;
}

/** An order that has changed, and as it was published last; `before` is undefined for a new one. */
export interface OrderUpdate {
  readonly order: OrderSnapshot;
  readonly before: OrderSnapshot | undefined;
}
