import type { StopKind } from "../domain/command.ts";
import { addFixed, maxFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { OrderOrigin, OrderPhase, OrderSnapshot } from "./order-snapshot.ts";
import type { LegKind } from "./restored-order.ts";

/** What makes an order wait for a trade at a price. */
export interface Trigger {
  readonly kind: StopKind;
  readonly stopPrice: number;
  /** It has become an ordinary order. */
  isFired: boolean;
  /** The venue took it for the other kind: the market had passed its price. */
  isTurned: boolean;
}

/**
 * How the newest cancel of this order stands. `none`: no cancel is at work, one may be made. `refused`: the venue said no
 * (already terminal, or not known yet) and its reason is being looked for; it becomes `none` when the order proves open.
 */
export type CancelPhase = "none" | "in-flight" | "unknown" | "accepted" | "refused";

/**
 * An order with take profit and stop loss, and its two legs (§4.4, D25); one object, held by all three. What ended before this run
 * is undefined.
 */
export interface TrackedBracket {
  working: TrackedOrder | undefined;
  takeProfit: TrackedOrder | undefined;
  stopLoss: TrackedOrder | undefined;
}

/** What speaks for it that the venue, which had acknowledged an order, has lost it (docs/decisions/014). */
export interface Disappearance {
  /** When the first question was put that found no such order, after the last sign of it. */
  readonly sinceMs: number;
  /** Questions by id that found none since, and when the newest of them was put. */
  absences: number;
  absentMs: number;
  /** When the newest list of open orders without it, and the newest list of fills without it, were asked for. */
  unlistedMs: number;
  noFillMs: number;
}

/** One order of ours. The tracker owns and mutates it; everyone else reads. Plain data. */
export interface TrackedOrder {
  /** The kernel's number of the command that placed it; negative for orders restored from a journal. */
  readonly intent: number;
  /** Known from the moment of signing, undefined only within the step that made the intent. */
  orderId: OrderId | undefined;
  /** Nonce of the placing transaction, 0 when not known. */
  readonly nonce: number;
  readonly strategy: string;
  readonly origin: OrderOrigin;
  /** Of a stop order: the strategy's own name of it. */
  readonly stopName: string | undefined;
  /** Of a stop order and of a stop-loss leg. */
  readonly trigger: Trigger | undefined;
  /** Of an order with legs. */
  readonly tpsl: Tpsl | undefined;
  /** Of such an order and its legs. */
  bracket: TrackedBracket | undefined;
  readonly leg: LegKind | undefined;
  readonly marketId: MarketId;
  readonly side: Side;
  /** 0 for market orders. */
  price: number;
  /** Original quantity in base token. Like the price it is what we sent; what a modify made of it is read back. */
  quantity: Fixed;
  /** The order that a modify of ours turned into this one, until the venue said how large this one is (D23); else undefined. */
  replaced: TrackedOrder | undefined;
  /** Cumulative, never falls. */
  executed: Fixed;
  /** The part of `executed` that known fills explain. */
  filled: Fixed;
  phase: OrderPhase;
  /** The venue's last word, undefined before it said any. */
  status: OrderStatus | undefined;
  cancel: CancelPhase;
  /** Intent of the newest cancel command, 0 when none was made. */
  cancelIntent: number;
  /** When the newest cancel's request ended; undefined before. */
  cancelEndedAtMs: UnixMs | undefined;
  /** Cancels in a row that did not take: they slow down the questions about it. */
  cancelFailures: number;
  readonly madeAtMs: UnixMs;
  /** When the placing request ended; undefined while it is open. */
  requestEndedAtMs: UnixMs | undefined;
  /** First sign of the venue that it exists; undefined until then. */
  ackedAtMs: UnixMs | undefined;
  endedAtMs: UnixMs | undefined;
  /** Since the venue, asked by id, knows nothing of it although it had acknowledged it; undefined while it does. */
  disappearance: Disappearance | undefined;
  /** A cancel of it was refused as one of no such order, and no sign of it came since. */
  cancelFoundNone: boolean;
  /** It ended because the venue had lost it, as far as we can tell. */
  isLost: boolean;
  /** It ended because the venue refused its placement with a readable response. */
  isRefused: boolean;
  /** Why it is canceled, or has ended; empty while it works, and when it was filled. */
  reason: string;
  /** As it stands; undefined after a change until somebody asks (snapshot-of.ts). */
  snapshot: OrderSnapshot | undefined;
  /** As it was published last. */
  published: OrderSnapshot | undefined;
  /** Block of the first user event about it; undefined before one came. */
  eventBlock: number | undefined;
  /** When it may be asked about by id next, and how often it was in this round of questions. */
  queryAtMs: UnixMs | undefined;
  queries: number;
}

/** The other leg of a leg. */
export function pairOf({ bracket, leg }: TrackedOrder): TrackedOrder | undefined {
  if (bracket === undefined || leg === undefined) return undefined;
  return leg === "takeProfit" ? bracket.stopLoss : bracket.takeProfit;
}

/** A leg that cannot trade yet: its order has not ended, so it is not filled. */
export function isDormant({ phase, bracket }: TrackedOrder): boolean {
  if (phase !== "pending") return false;
  const working = bracket?.working;
  return working !== undefined && working.phase !== "ended";
}

/** One leg stands for both where a pair counts once: the take profit as long as it lives. */
export function standsForPair(order: TrackedOrder): boolean {
  if (order.leg !== "stopLoss") return true;
  const takeProfit = pairOf(order);
  return takeProfit === undefined || takeProfit.phase === "ended";
}

/** What may still fill. What one leg fills the other loses (D25). */
export function remainingOf(order: TrackedOrder): Fixed {
  const left = (order.quantity - order.executed) as Fixed;
  if (order.leg === undefined) return maxFixed(ZERO, left);
  return maxFixed(ZERO, subFixed(left, pairOf(order)?.executed ?? ZERO));
}

/**
 * A cancel of it was made and the tracker has not taken that back: under way, accepted, or its outcome still in question.
 * The tracker says `none` again once the order proved open after all; only then is it canceled anew.
 */
export function isLeaving(order: TrackedOrder): boolean {
  return order.cancel !== "none";
}

/** Rests in the book at its price as far as we know. */
export function restsInBook(order: TrackedOrder): boolean {
  return order.phase === "working" && order.price > 0 && order.trigger?.isFired !== false;
}

/**
 * What may fill at most. The size of a replacement is in doubt until it is read back (D23), so the original goes on counting,
 * also when it is over by then. Legs count once for the pair, and before they are placed as much as their quote has executed: so
 * what it fills moves position and stake by the same, and nothing else can take that room.
 */
export function atStakeOf(order: TrackedOrder): Fixed {
  const { replaced } = order;
  if (order.leg !== undefined) {
    if (!standsForPair(order)) return ZERO;
    if (isDormant(order)) return order.bracket?.working?.executed ?? ZERO;
  }
  const remaining = remainingOf(order);
  return replaced?.phase === "ended" ? addFixed(remaining, remainingOf(replaced)) : remaining;
}

/** Executed quantity that no known fill explains yet. */
export function missingOf(order: TrackedOrder): Fixed {
  return maxFixed(ZERO, (order.executed - order.filled) as Fixed);
}

/** True when our own knowledge ended it and the venue never said a word about it. */
function wasNeverPlaced(order: TrackedOrder): boolean {
  return order.phase === "ended" && order.status === undefined;
}

/** True when it was not the venue that ended it: should it show itself after all, it counts again. */
export function wasGivenUp(order: TrackedOrder): boolean {
  return order.isLost || wasNeverPlaced(order);
}

/** A live client modifies only what rests untouched, and whose size it knows (D23). */
export function mayBeModified(order: TrackedOrder): boolean {
  return (
    order.phase === "working" &&
    order.status === "NEW" &&
    order.price > 0 &&
    order.executed === ZERO &&
    order.filled === ZERO &&
    order.cancel === "none" &&
    order.replaced === undefined &&
    // What a modify makes of take profit and stop loss, and of a trigger, cannot be said with it.
    order.bracket === undefined &&
    order.trigger === undefined
  );
}
