import type { UnixMs } from "../domain/time.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { NonceExpiry } from "./nonce-expiry.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { isDormant, pairOf, type TrackedOrder } from "./tracked-order.ts";

/** An acknowledged order is gone when this many lists of open orders in a row, and a query by id, do not show it. */
const LISTS = 2;

interface AbsenceTiming {
  /** What the venue accepted shows in queries no later than this. */
  readonly inFlightMs: number;
  /** Until when the venue may accept an order's bytes; undefined: for `inFlightMs` after their request ended. */
  readonly nonceExpiry: NonceExpiry | undefined;
}

/** Decides what it means that the venue does not show an order: never placed, not there yet, or gone. */
export class Absence {
  readonly #orders: OrderRegistry;
  readonly #inFlightMs: number;
  readonly #nonceExpiry: NonceExpiry | undefined;

  constructor(orders: OrderRegistry, { inFlightMs, nonceExpiry }: AbsenceTiming) {
    this.#orders = orders;
    this.#inFlightMs = inFlightMs;
    this.#nonceExpiry = nonceExpiry;
  }

  /** A list of open orders, requested at `queriedAtMs`, does not show this order: it is queried by id. */
  unlisted(order: TrackedOrder, queriedAtMs: number, nowMs: UnixMs, changes: OrderChange[]): void {
    const { ackedAtMs } = order;
    if (ackedAtMs === undefined || queriedAtMs <= ackedAtMs) return;
    this.#orders.queries.want(order, nowMs);
    // Until then what the venue accepted may not show yet.
    if (queriedAtMs < ackedAtMs + this.#inFlightMs) return;
    order.unlisted += 1;
    this.#giveUp(order, nowMs, changes);
  }

  /** The venue, queried by id at `queriedAtMs`, has no such order. */
  unknownById(
    order: TrackedOrder,
    queriedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { queries } = this.#orders;
    const { phase, ackedAtMs } = order;
    const pairEndedMs = pairOf(order)?.endedAtMs;
    // The venue may not show a dormant leg, and ends it with its pair.
    const isExpected = isDormant(order) && pairEndedMs === undefined;
    if (phase === "ended" || isExpected) return queries.clear(order);
    queries.again(order, nowMs);
    if (pairEndedMs !== undefined && isDormant(order)) {
      if (queriedAtMs <= pairEndedMs) return;
      const message = "its pair has ended";
      return this.#orders.learn(order, { kind: "absent", message }, nowMs, changes);
    }
    if (ackedAtMs !== undefined) {
      if (queriedAtMs < ackedAtMs + this.#inFlightMs) return;
      if (!order.isAbsent) {
        const text = "the venue had acknowledged it and now knows no such order";
        warn(order, "ORDER_VANISHED", text, changes);
      }
      order.isAbsent = true;
      return this.#giveUp(order, nowMs, changes);
    }
    const landedByMs = this.#landedByMs(order);
    if (queriedAtMs >= landedByMs) {
      const message = "the venue never received it";
      return this.#orders.learn(order, { kind: "absent", message }, nowMs, changes);
    }
    if (landedByMs !== Number.POSITIVE_INFINITY)
      queries.want(order, Math.max(landedByMs, nowMs + 1));
  }

  /** Until when the venue may still place this order, our clock; undefined when it cannot. */
  mayBePlacedUntilMs(order: TrackedOrder, nowMs: UnixMs): number | undefined {
    if (order.phase === "working" || order.ackedAtMs !== undefined) return undefined;
    const expiresMs = this.#nonceExpiry?.expiresMs(order.nonce) ?? 0;
    return expiresMs > nowMs ? expiresMs : undefined;
  }

  /**
   * From when on, our clock, a query shows the order if it was placed at all (D37): no copy of its bytes can be accepted any more.
   * Infinity while that cannot be known, as long as the request is open.
   */
  #landedByMs(order: TrackedOrder): number {
    const { requestEndedAtMs = Number.POSITIVE_INFINITY } = order;
    const sentByMs = Math.max(requestEndedAtMs, placedFromMs(order)) + this.#inFlightMs;
    const expiresMs = this.#nonceExpiry?.expiresMs(order.nonce) ?? 0;
    // An order of an earlier run was restored just now, but how old its bytes are its nonce tells. A leg may be placed at any time.
    if (expiresMs > 0 && order.leg === undefined && order.origin === "adopted") {
      return Math.max(expiresMs, Math.min(sentByMs, expiresMs + this.#inFlightMs));
    }
    return Math.max(sentByMs, expiresMs);
  }

  #giveUp(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    if (order.unlisted < LISTS || !order.isAbsent) return;
    this.#orders.learn(order, { kind: "lost", message: "the venue has lost it" }, nowMs, changes);
    const text = `the venue had acknowledged it, and neither ${LISTS} lists of open orders nor a query by id show it: it no longer counts`;
    warn(order, "ORDER_LOST", text, changes);
  }
}

/** From when on the venue may show a leg, our clock: it is placed when its quote is filled (D25), maybe long after the request. */
function placedFromMs({ bracket, leg }: TrackedOrder): number {
  const working = leg === undefined ? undefined : bracket?.working;
  return working?.status === "FILLED" ? (working.endedAtMs ?? 0) : 0;
}
