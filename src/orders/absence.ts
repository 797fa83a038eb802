import type { UnixMs } from "../domain/time.ts";
import { isLost, noteAbsence } from "./lost-order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { isDormant, type TrackedOrder } from "./tracked-order.ts";

export interface AbsenceTiming {
  /** A request that ended without an answer can land no later than this. */
  readonly inFlightMs: number;
  /** So long nothing of the venue may know an order that it had acknowledged before it counts no more. */
  readonly lostMs: number;
}

/** What it means that the venue does not show an order of ours: never placed, not there yet, or lost (lost-order.ts). */
export class Absence {
  readonly #orders: OrderRegistry;
  readonly #inFlightMs: number;
  readonly #lostMs: number;

  constructor(orders: OrderRegistry, { inFlightMs, lostMs }: AbsenceTiming) {
    this.#orders = orders;
    this.#inFlightMs = inFlightMs;
    this.#lostMs = lostMs;
  }

  /** Live orders that the venue had acknowledged, and of which it knows nothing when asked by id. */
  vanished(): readonly TrackedOrder[] {
    return this.#orders.live.list().filter(({ disappearance }) => disappearance !== undefined);
  }

  /** A list of own fills, requested at `queriedAtMs`, has nothing new about the orders that are still missing. */
  noFills(queriedAtMs: number, nowMs: UnixMs, changes: OrderChange[]): void {
    for (const order of this.vanished()) {
      if (order.disappearance !== undefined) order.disappearance.noFillMs = queriedAtMs;
      this.#giveUpLost(order, nowMs, changes);
    }
  }

  /** A list of open orders, requested at `queriedAtMs`, has only these. */
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
    // Over anyway; or its request is still open, whose end asks again if need be. A leg that waits need not be shown.
    if (order.phase === "ended" || order.requestEndedAtMs === undefined || isDormant(order)) {
      return queries.clear(order);
    }
    if (order.ackedAtMs !== undefined) {
      if (queriedAtMs > order.ackedAtMs && noteAbsence(order, queriedAtMs)) {
        const text = "the venue had acknowledged it and now knows no such order";
        warn(order, "ORDER_VANISHED", text, changes);
      }
      queries.again(order, nowMs);
      const { cancelEndedAtMs } = order;
      // A cancel that was not answered, or was taken and then forgotten with the order, proves nothing: another one may be made.
      const isSpent = cancelEndedAtMs !== undefined && queriedAtMs >= cancelEndedAtMs;
      if (isSpent && !order.cancelFoundNone) this.#orders.moveCancel(order, "stillOpen");
      return this.#giveUpLost(order, nowMs, changes);
    }
    const landedByMs = Math.max(order.requestEndedAtMs, placedFromMs(order)) + this.#inFlightMs;
    if (queriedAtMs >= landedByMs) {
      const message = "the venue never got it";
      return this.#orders.learn(order, "absent", { message }, nowMs, changes);
    }
    queries.again(order, nowMs);
    queries.want(order, Math.max(landedByMs, nowMs + 1));
  }

  /** Ends an order that the venue has lost, as far as everything that it tells goes. */
  #giveUpLost(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    if (!isLost(order, this.#lostMs)) return;
    const seconds = this.#lostMs / 1000;
    const text = `the venue had acknowledged it, and knew nothing of it for ${seconds} s, by id, among open orders and fills, and to cancel: it counts no more`;
    this.#orders.learn(order, "lost", { message: "the venue has lost it" }, nowMs, changes);
    warn(order, "ORDER_LOST", text, changes);
  }
}

/** From when on the venue may show a leg at all: it is placed when its quote is filled (D25), which may be long after the request. */
function placedFromMs({ bracket, leg }: TrackedOrder): number {
  const working = leg === undefined ? undefined : bracket?.working;
  return working?.status === "FILLED" ? (working.endedAtMs ?? 0) : 0;
}
