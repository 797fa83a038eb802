import type { OrderChange } from "../orders/order-change.ts";
import { ZERO } from "../domain/fixed.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { KernelTiming } from "./config.ts";
import type { TargetStop } from "./targets.ts";

/** What became of a stop order's name. */
export interface StopRecord {
  /** The newest order under this name. */
  order: TrackedOrder | undefined;
  /** It fired and has ended: not placed again before a decision without the name. */
  isOver: boolean;
  /** Why nothing is sent, or the newest order was not taken. */
  reason: string | undefined;
  /** The risk rule that said no last, so that only changes are noted. */
  deniedBy: string | undefined;
  /** Until when it rests after an order of it was not taken, and how often that happened in a row. */
  untilMs: number;
  refusals: number;
}

/** The stop orders of one strategy by name. Bounded by the targets and by the orders that have not ended. */
export class StopRecords {
  readonly #records = new Map<string, StopRecord>();

  get(name: string): StopRecord | undefined {
    return this.#records.get(name);
  }

  entries(): Iterable<readonly [string, StopRecord]> {
    return this.#records;
  }

  /** The record of a name, made when there is none. */
  of(name: string): StopRecord {
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

  /** An order was made under this name, now or by an earlier run. */
  made(order: TrackedOrder): void {
    if (order.stopName === undefined) return;
    const record = this.of(order.stopName);
    record.order = order;
    record.reason = undefined;
    record.deniedBy = undefined;
  }

  /** A decision was made: names that it does not have are free again, once nothing of them lives or rests. */
  wanted(targets: readonly TargetStop[], nowMs: number): void {
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

  /** What the venue or the network said of an order under a name. */
  follow(
    { order, report, message, status }: Extract<OrderChange, { type: "order" }>,
    nowMs: number,
    timing: Pick<KernelTiming, "refusalCooldownMs" | "refusalCooldownMaxMs">,
  ): void {
    const { stopName, trigger, phase, cancel } = order;
    if (stopName === undefined) return;
    const record = this.of(stopName);
    // One that was held for never placed is at the venue: the name is its own again, unless another order has it or it was served.
    const isFree = record.order === undefined || record.order.phase === "ended";
    if (phase !== "ended" && isFree && !record.isOver) record.order = order;
    if (record.order !== order) return;
    if (phase !== "ended") {
      // An answer of 200 alone says nothing: the order may be rejected (D12).
      if (report === "open") record.refusals = 0;
      return;
    }
    if (trigger?.isFired === true || order.executed > ZERO) {
      record.isOver = true;
      return;
    }
    const { refusalCooldownMs, refusalCooldownMaxMs } = timing;
    if (report === "notSent") {
      // The venue said nothing: how often one is tried while nobody can connect is for all commands alike (outage.ts).
      record.reason = `not sent: ${message}`;
      record.untilMs = nowMs + refusalCooldownMs;
      return;
    }
    const isTurned = trigger?.isTurned === true;
    // Canceled by us.
    if (status === "CANCELED" && cancel !== "none" && !isTurned) return;
    record.reason = isTurned
      ? "the market had passed its stop price"
      : message !== ""
        ? message
        : status === "CANCELED"
          ? "canceled by someone else"
          : `the venue said ${status}`;
    record.untilMs =
      nowMs + Math.min(refusalCooldownMs * 2 ** record.refusals, refusalCooldownMaxMs);
    record.refusals = Math.min(record.refusals + 1, 30);
  }

  /** When the next rest ends; Infinity when none does. */
  nextMs(nowMs: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { untilMs } of this.#records.values()) {
      if (untilMs > nowMs) next = Math.min(next, untilMs);
    }
    return next;
  }
}
