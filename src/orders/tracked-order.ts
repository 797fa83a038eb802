import type { StopKind, TakeTerms } from "../domain/command.ts";
import { addFixed, maxFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { LegKind, OrderOrigin, OrderPhase, OrderSnapshot } from "./order-snapshot.ts";

/** The condition of an order that waits for a trade at a price. */
export interface Trigger {
  readonly kind: StopKind;
  readonly stopPrice: number;
  /** It has become an ordinary order. */
  isFired: boolean;
  /** The venue made it the other kind, because the market had passed its price. */
  isTurned: boolean;
}

/**
 * The state of an order's newest cancel. `none`: no cancel is under way, one may be made. `refused`: the venue refused it (the order has
 * ended, or is not known yet) and the order is being queried; it becomes `none` when the order proves open.
 */
export type CancelPhase = "none" | "in-flight" | "unknown" | "accepted" | "refused";

/**
 * An order with take profit and stop loss, and its two legs (§4.4, D25). All three share this object. An order that ended before this
 * run is undefined.
 */
export interface TrackedBracket {
  working: TrackedOrder | undefined;
  takeProfit: TrackedOrder | undefined;
  stopLoss: TrackedOrder | undefined;
}

/**
 * One order of ours, as plain data. Only the tracker changes it. It is one flat record, since planner, limits and snapshots read most of its
 * fields on each step: what was commanded, what the venue said, how its cancel goes, and where its look-ups stand.
 */
export interface TrackedOrder {
  /** The kernel's number of the command that placed it; negative for orders restored from a journal. */
  readonly intent: number;
  /** Known from signing on; undefined only within the step that made the intent. */
  orderId: OrderId | undefined;
  /** Nonce of the placing transaction, 0 when unknown. */
  readonly nonce: number;
  readonly strategy: string;
  readonly origin: OrderOrigin;
  /** The strategy's name for a stop order; undefined for other orders. */
  readonly stopName: string | undefined;
  /** Only for takes. */
  readonly take: TakeTerms | undefined;
  /** Level of the quote that it serves or served last, or of a leg's quote. */
  key: string | undefined;
  /** Only for stop orders and stop-loss legs. */
  readonly trigger: Trigger | undefined;
  /** Only for an order with legs. */
  readonly tpsl: Tpsl | undefined;
  /** Only for an order with legs and its legs. */
  bracket: TrackedBracket | undefined;
  readonly leg: LegKind | undefined;
  readonly marketId: MarketId;
  readonly side: Side;
  /** 0 for market orders. */
  price: number;
  /** Original quantity in base token. Price and quantity are as sent; for a modify they are read back from the venue. */
  quantity: Fixed;
  /** The order that a modify replaced by this one, until the venue reports this one's size (D23); otherwise undefined. */
  replaced: TrackedOrder | undefined;
  /** Cumulative executed quantity in base token. It falls only to what fills and a report show of an order that comes back from a false end. */
  executed: Fixed;
  /** The part of `executed` that known fills explain. */
  filled: Fixed;
  phase: OrderPhase;
  /** The venue's newest status; undefined before the first. */
  status: OrderStatus | undefined;
  cancel: CancelPhase;
  /** Intent of the newest cancel command, 0 when none was made. */
  cancelIntent: number;
  /** When the newest cancel's request ended; undefined while it is open or when there is none. */
  cancelEndedAtMs: UnixMs | undefined;
  /** Cancels in a row that failed; they lengthen the waits between queries. */
  cancelFailures: number;
  readonly madeAtMs: UnixMs;
  /** When the placing request ended; undefined while it is open. */
  requestEndedAtMs: UnixMs | undefined;
  /** When the venue first showed that the order exists; undefined until then. */
  ackedAtMs: UnixMs | undefined;
  endedAtMs: UnixMs | undefined;
  /** Lists of open orders in a row that do not show it, requested after its acknowledgement. */
  unlisted: number;
  /** The venue had acknowledged it and, queried by id since, does not know it. */
  isAbsent: boolean;
  /** It ended because we concluded that the venue had lost it. */
  isLost: boolean;
  /** It ended because the venue refused its placement with a readable response. */
  isRefused: boolean;
  /** The risk ladder has counted it among the rejects. */
  isCountedReject: boolean;
  /** Why it is being canceled or has ended; empty while it works and when it was filled. */
  reason: string;
  /** Base token ahead of it at its price, an estimate (queue-ahead.ts); undefined before the first look. */
  queueAhead: number | undefined;
  /** Cached snapshot; undefined after a change (snapshot-of.ts). */
  snapshot: OrderSnapshot | undefined;
  /** The snapshot that was last published; undefined before the first. */
  published: OrderSnapshot | undefined;
  /** Block of the first user event about it; undefined before that. */
  eventBlock: number | undefined;
  /** When the next query by id is due, undefined for none, and how many were sent since the order came into doubt. */
  queryAtMs: UnixMs | undefined;
  queries: number;
}

/** The venue refused or rejected its placement. A refused modify is no refused order: its original may have been filled first. */
export function isRejected({ status, isRefused, origin }: TrackedOrder): boolean {
  return status === "REJECTED" || (isRefused && origin !== "modify");
}

/** The other leg of a leg. */
export function pairOf({ bracket, leg }: TrackedOrder): TrackedOrder | undefined {
  if (bracket === undefined || leg === undefined) return undefined;
  return leg === "takeProfit" ? bracket.stopLoss : bracket.takeProfit;
}

/** A leg that cannot trade yet, because its quote has not been filled. */
export function isDormant({ phase, bracket }: TrackedOrder): boolean {
  if (phase !== "pending") return false;
  const working = bracket?.working;
  return working !== undefined && working.phase !== "ended";
}

/** Whether this leg is the one that counts for the pair: the take profit while it lives, else the stop loss. Always true for other orders. */
export function carriesPair(order: TrackedOrder): boolean {
  if (order.leg !== "stopLoss") return true;
  const takeProfit = pairOf(order);
  return takeProfit === undefined || takeProfit.phase === "ended";
}

/** What may still fill, base token. A fill of one leg reduces the other (D25). */
export function remainingOf(order: TrackedOrder): Fixed {
  const left = (order.quantity - order.executed) as Fixed;
  if (order.leg === undefined) return maxFixed(ZERO, left);
  return maxFixed(ZERO, subFixed(left, pairOf(order)?.executed ?? ZERO));
}

/**
 * A cancel or modify of the order is under way, was accepted, or has an outcome that is still in doubt. Another cancel follows when this
 * one was not sent, was refused as busy or is overdue, or when the order proved open.
 */
export function isLeaving(order: TrackedOrder): boolean {
  return order.cancel !== "none";
}

/** Whether the order rests in the book at its price, as far as we know. */
export function restsInBook(order: TrackedOrder): boolean {
  return order.phase === "working" && order.price > 0 && order.trigger?.isFired !== false;
}

/**
 * The most that may still fill, base token. Until a replacement's size is read back (D23), its original counts too, even if it has
 * ended. Legs count once for the pair. Dormant legs count what their quote has executed, so that no other order can take the room
 * that they need.
 */
export function openExposureOf(order: TrackedOrder): Fixed {
  const { replaced } = order;
  if (order.leg !== undefined) {
    if (!carriesPair(order)) return ZERO;
    if (isDormant(order)) return order.bracket?.working?.executed ?? ZERO;
  }
  const remaining = remainingOf(order);
  return replaced?.phase === "ended" ? addFixed(remaining, remainingOf(replaced)) : remaining;
}

/** Executed quantity that no known fill explains yet, base token. */
export function missingOf(order: TrackedOrder): Fixed {
  return maxFixed(ZERO, (order.executed - order.filled) as Fixed);
}

/**
 * True when we ended it by our own conclusion: it is lost, or was never placed, since it ended without any report from the venue. If the
 * venue shows it after all, it counts again.
 */
export function wasGivenUp({ isLost, phase, status }: TrackedOrder): boolean {
  return isLost || (phase === "ended" && status === undefined);
}

/** Only an untouched resting order of known size may be modified (D23). */
export function mayBeModified(order: TrackedOrder): boolean {
  return (
    order.phase === "working" &&
    order.status === "NEW" &&
    order.price > 0 &&
    order.executed === ZERO &&
    order.filled === ZERO &&
    order.cancel === "none" &&
    order.replaced === undefined &&
    // A modify cannot state take profit, stop loss or a trigger.
    order.bracket === undefined &&
    order.trigger === undefined
  );
}
