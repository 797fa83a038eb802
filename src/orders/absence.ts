import type { UnixMs } from "../domain/time.ts";
import { isLost, noteAbsence } from "./lost-order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { NonceExpiry } from "./nonce-expiry.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { isBeforeEndOfPair, isDormant, type TrackedOrder } from "./tracked-order.ts";

export interface AbsenceTiming {
  /** What the venue accepted shows in queries no later than this. */
  readonly inFlightMs: number;
  /** Until when the venue may accept an order's bytes; undefined: for `inFlightMs` after their request ended. */
  readonly nonceExpiry: NonceExpiry | undefined;
  /** An acknowledged order counts as lost once no source of the venue has known it for this long. */
  readonly lostMs: number;
}

/** Decides what the absence of an order means: never placed, not there yet, or lost (lost-order.ts). */
export class Absence {
  readonly #orders: OrderRegistry;
  readonly #inFlightMs: number;
  readonly #nonceExpiry: NonceExpiry | undefined;
  readonly #lostMs: number;

  constructor(orders: OrderRegistry, timing: AbsenceTiming) {
    this.#orders = orders;
    this.#inFlightMs = timing.inFlightMs;
    this.#nonceExpiry = timing.nonceExpiry;
    this.#lostMs = timing.lostMs;
  }

  /** Live orders that the venue acknowledged and, queried by id, no longer knows. */
  vanished(): readonly TrackedOrder[] {
    return this.#orders.live.list().filter(({ disappearance }) => disappearance !== undefined);
  }

  /** A list of own fills, requested at `queriedAtMs`, has no new fills of the vanished orders. */
  noFills(queriedAtMs: number, nowMs: UnixMs, changes: OrderChange[]): void {
    for (const order of this.vanished()) {
      if (order.disappearance !== undefined) order.disappearance.noFillMs = queriedAtMs;
      this.#giveUpLost(order, nowMs, changes);
    }
  }

  /** A list of open orders, requested at `queriedAtMs`, contains only `listed`. */
  unlisted(
    listed: ReadonlySet<TrackedOrder>,
    queriedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    for (const order of this.vanished()) {
      if (order.disappearance === undefined || listed.has(order)) continue;
      order.disappearance.unlistedMs = queriedAtMs;
      this.#giveUpLost(order, nowMs, changes);
    }
  }

  /** The venue, queried by id at `queriedAtMs`, has no such order. */
  reported(order: TrackedOrder, queriedAtMs: number, nowMs: UnixMs, changes: OrderChange[]): void {
    const { queries } = this.#orders;
    // It has ended; or its request is still open, and the request's end queries again if needed. A dormant leg may be absent.
    if (order.phase === "ended" || order.requestEndedAtMs === undefined || isDormant(order)) {
      if (isBeforeEndOfPair(order, queriedAtMs)) return queries.again(order, nowMs);
      return queries.clear(order);
    }
    if (order.ackedAtMs !== undefined) {
      if (queriedAtMs > order.ackedAtMs && noteAbsence(order, queriedAtMs)) {
        const text = "the venue had acknowledged it and now knows no such order";
        warn(order, "ORDER_VANISHED", text, changes);
      }
      queries.again(order, nowMs);
      const { cancelEndedAtMs } = order;
      // A cancel without a response, or one that was accepted and then forgotten with the order, proves nothing: allow another.
      const isSpent = cancelEndedAtMs !== undefined && queriedAtMs >= cancelEndedAtMs;
      if (isSpent && !order.cancelFoundNone) this.#orders.moveCancel(order, "stillOpen");
      return this.#giveUpLost(order, nowMs, changes);
    }
    const landedByMs = this.#landedByMs(order, order.requestEndedAtMs);
    const shownMs = this.#shownMs(order);
    if (queriedAtMs >= Math.max(landedByMs, shownMs)) {
      const message = "the venue never received it";
      return this.#orders.learn(order, { kind: "absent", message }, nowMs, changes);
    }
    queries.again(order, nowMs);
    const nextMs = queriedAtMs < landedByMs ? landedByMs : shownMs;
    if (nextMs !== Number.POSITIVE_INFINITY) queries.want(order, Math.max(nextMs, nowMs + 1));
  }

  /** Whether only a new reading of the venue's clock can show that the order's nonce has expired. */
  awaitsClock(order: TrackedOrder, nowMs: UnixMs): boolean {
    return this.#hasLanded(order, nowMs) && this.#shownMs(order) > nowMs;
  }

  /** Whether the venue may still place this order, as far as readings of its clock show. */
  mayBePlaced(order: TrackedOrder, nowMs: UnixMs): boolean {
    if (order.phase === "working" || order.ackedAtMs !== undefined) return false;
    if ((this.#nonceExpiry?.expiresMs(order.nonce) ?? 0) > nowMs) return true;
    return this.#shownMs(order) > nowMs;
  }

  /** The venue's clock was read: orders whose nonce has expired by it are queried at once. */
  clockRead(nowMs: UnixMs): void {
    for (const order of this.#orders.live.list()) {
      const wasShown = order.expiryShownMs !== undefined;
      this.#keepShown(order, nowMs);
      if (wasShown || !this.#hasLanded(order, nowMs) || this.#shownMs(order) > nowMs) continue;
      this.#orders.queries.want(order, nowMs);
    }
  }

  /** Keeps since when all readings of the venue's clock show that the order's nonce has expired. */
  #keepShown(order: TrackedOrder, nowMs: UnixMs): void {
    const shownMs = this.#nonceExpiry?.shownMs(order.nonce) ?? 0;
    order.expiryShownMs = shownMs > nowMs ? undefined : (order.expiryShownMs ?? shownMs);
  }

  /** Whether a query that does not find this order proves by now that it was never placed, if the venue's clock goes on as last read. */
  #hasLanded(order: TrackedOrder, nowMs: UnixMs): boolean {
    const { phase, requestEndedAtMs, ackedAtMs } = order;
    if (phase === "ended" || ackedAtMs !== undefined || isDormant(order)) return false;
    return requestEndedAtMs !== undefined && nowMs >= this.#landedByMs(order, requestEndedAtMs);
  }

  /** Since when, our clock, a reading of the venue's clock shows that the order's nonce has expired. */
  #shownMs({ nonce, expiryShownMs }: TrackedOrder): number {
    return expiryShownMs ?? this.#nonceExpiry?.shownMs(nonce) ?? 0;
  }

  /**
   * From when on, our clock, a query shows the order if it was placed at all (D37): no copy of its bytes can be accepted any more.
   * Infinity while that cannot be known.
   */
  #landedByMs(order: TrackedOrder, requestEndedAtMs: number): number {
    const sentByMs = Math.max(requestEndedAtMs, placedFromMs(order)) + this.#inFlightMs;
    const expiresMs = this.#nonceExpiry?.expiresMs(order.nonce) ?? 0;
    // An order of an earlier run was restored just now, but how old its bytes are its nonce tells. A leg may be placed at any time.
    const isTold = expiresMs > 0 && order.leg === undefined;
    if (isTold && order.origin === "adopted") {
      return Math.max(expiresMs, Math.min(sentByMs, expiresMs + this.#inFlightMs));
    }
    return Math.max(sentByMs, expiresMs);
  }

  /** Ends an order as lost when all sources of the venue agree that it is gone. */
  #giveUpLost(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    if (!isLost(order, this.#lostMs)) return;
    const seconds = this.#lostMs / 1000;
    const text = `the venue had acknowledged it, and for ${seconds} s did not know it by id, among open orders, among fills, or for a cancel: it no longer counts`;
    this.#orders.learn(order, { kind: "lost", message: "the venue has lost it" }, nowMs, changes);
    warn(order, "ORDER_LOST", text, changes);
  }
}

/** From when on the venue may show a leg, our clock: it is placed when its quote is filled (D25), maybe long after the request. */
function placedFromMs({ bracket, leg }: TrackedOrder): number {
  const working = leg === undefined ? undefined : bracket?.working;
  return working?.status === "FILLED" ? (working.endedAtMs ?? 0) : 0;
}
