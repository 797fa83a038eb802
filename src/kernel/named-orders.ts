import { backOffMs } from "../base/back-off.ts";
import type { OrderChange } from "../orders/order-change.ts";
import { ZERO } from "../domain/fixed.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { KernelTiming } from "./config.ts";

/** The state of one name of a strategy's stop orders or takes. */
export interface NamedOrder {
  /** The newest order under this name. */
  order: TrackedOrder | undefined;
  /** Its order is used up and has ended: none is sent again until a decision leaves the name out. */
  isOver: boolean;
  /** Why no order is sent, or why the newest one was not accepted; undefined when neither applies. */
  reason: string | undefined;
  /** The risk rule of the last denial, so that only changes are noted. */
  deniedBy: string | undefined;
  /** Until when the name waits after an order was not accepted, and how often in a row that happened. */
  untilMs: number;
  refusals: number;
}

/** Which orders have names, and when one has used its name up. */
export interface NamedKind {
  nameOf(order: TrackedOrder): string | undefined;
  /** Of an order that has ended. */
  isUsedUp(order: TrackedOrder): boolean;
}

export const stopNames: NamedKind = {
  nameOf: ({ stopName }) => stopName,
  isUsedUp: ({ trigger, executed }) => trigger?.isFired === true || executed > ZERO,
};

/** The stop orders or the takes of one strategy by name. Bounded by the targets and the live orders. */
export class NamedOrders {
  readonly #records = new Map<string, NamedOrder>();
  readonly #kind: NamedKind;

  constructor(kind: NamedKind) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#records.size;
  }

  get(name: string): NamedOrder | undefined {
    return this.#records.get(name);
  }

  entries(): Iterable<readonly [string, NamedOrder]> {
    return this.#records;
  }

  /** The record of a name; creates it when there is none. */
  of(name: string): NamedOrder {
    let record = this.#records.get(name);
    if (record === undefined) {
      record = {
        order: undefined,
        isOver: false,
        reason: undefined,
        deniedBy: undefined,
        untilMs: 0,
        refusals: 0,
      };
      this.#records.set(name, record);
    }
    return record;
  }

  /** Records the newest order under its name, of this run or an earlier one. Ignores orders without a name. */
  track(order: TrackedOrder): void {
    const name = this.#kind.nameOf(order);
    if (name === undefined) return;
    const record = this.of(name);
    record.order = order;
    record.reason = undefined;
    record.deniedBy = undefined;
  }

  /** After a decision: a name that is not among its targets is forgotten once it has no live order and no wait. */
  applyTargets(targets: readonly { readonly name: string }[], nowMs: number): void {
    if (targets.length === 0 && this.#records.size === 0) return;
    const names = new Set(targets.map(({ name }) => name));
    for (const [name, record] of this.#records) {
      if (names.has(name)) continue;
      record.isOver = false;
      if (record.order?.phase === "ended") record.order = undefined;
      if (record.order === undefined && record.untilMs <= nowMs) this.#records.delete(name);
    }
    for (const name of names) this.of(name);
  }

  /** Updates a name's record by a change of its order. */
  follow(
    { order, report, message, status }: Extract<OrderChange, { type: "order" }>,
    nowMs: number,
    timing: Pick<KernelTiming, "refusalCooldownMs" | "refusalCooldownMaxMs">,
  ): void {
    const { trigger, phase, cancel } = order;
    const name = this.#kind.nameOf(order);
    if (name === undefined) return;
    const record = this.of(name);
    // An order that we took for never placed is at the venue. It gets its name back, unless another order has it or has used it up.
    const isFree = record.order === undefined || record.order.phase === "ended";
    if (phase !== "ended" && isFree && !record.isOver) record.order = order;
    if (record.order !== order) return;
    if (phase !== "ended") {
      // A response of 200 alone proves nothing: the order may still be rejected (D12).
      if (report === "open") record.refusals = 0;
      return;
    }
    if (this.#kind.isUsedUp(order)) {
      record.isOver = true;
      return;
    }
    const { refusalCooldownMs, refusalCooldownMaxMs } = timing;
    if (report === "notSent") {
      // The venue has not refused it. During an outage outage.ts limits how often any command is tried.
      record.reason = `not sent: ${message}`;
      record.untilMs = nowMs + refusalCooldownMs;
      return;
    }
    const isTurned = trigger?.isTurned === true;
    // We canceled it ourselves.
    if (status === "CANCELED" && cancel !== "none" && !isTurned) return;
    record.reason = isTurned
      ? "the market had passed its stop price"
      : message !== ""
        ? message
        : status === "CANCELED"
          ? "canceled by someone else"
          : `the venue said ${status}`;
    record.refusals += 1;
    record.untilMs = nowMs + backOffMs(record.refusals, refusalCooldownMs, refusalCooldownMaxMs);
  }

  /** When the next wait ends, our clock; Infinity when nothing waits. */
  nextMs(nowMs: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { untilMs } of this.#records.values()) {
      if (untilMs > nowMs) next = Math.min(next, untilMs);
    }
    return next;
  }
}
