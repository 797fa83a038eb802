import { assert } from "../base/assert.ts";
import type { MarketId } from "../domain/ids.ts";
import { apply } from "./apply.ts";
import { nextAuditWarningMs, warnUnaudited } from "./book-audits.ts";
import type { KernelConfig } from "./config.ts";
import { emitCancels, emitPlaces } from "./commands.ts";
import { decide } from "./quoting.ts";
import type { Effect } from "./effect.ts";
import { openOrdersRead } from "./list-span.ts";
import type { Batch } from "./input.ts";
import { advance, begin, stopLimitMs } from "./lifecycle.ts";
import type { Note } from "./note.ts";
import { bookLessOwn, makeState, type KernelState } from "./state.ts";
import { nextWithdrawalMs, noteWhy } from "./withdrawal.ts";

/** What one step gives back. */
export interface Step {
  /** What to do, in this order: cancels, placements, turns, reads, the end. */
  readonly effects: readonly Effect[];
  /** What observers are told. */
  readonly notes: readonly Note[];
  /** When the kernel wants to be stepped again even if nothing happens; our clock. */
  readonly nextDeadlineMs: number | undefined;
}

/**
 * The bot's mind: a synchronous state machine. The same config and the same batches give the same effects, bit for bit.
 * It does no I/O, reads no clock and draws no random number.
 */
export class Kernel {
  readonly #state: KernelState;

  constructor(config: KernelConfig) {
    this.#state = makeState(config);
    const { reads } = this.#state;
    reads.want({ type: "venueTime" }, 0, { periodMs: config.timing.venueTimeMs });
  }

  /** Takes what happened since the last step, in order, and says what to do. */
  step(batch: Batch): Step {
    const state = this.#state;
    assert(batch.seq === state.lastSeq + 1, `batch ${batch.seq} follows batch ${state.lastSeq}`);
    state.lastSeq = batch.seq;
    state.nowMs = batch.nowMs;
    if (batch.seq === 1) begin(state);
    state.notes = [];
    state.blockedUntilMs = Number.POSITIVE_INFINITY;

    for (const input of batch.inputs) apply(state, input);
    warnUnaudited(state);
    const ending = advance(state);
    decide(state);
    const cancels = emitCancels(state);
    const turns = this.#emitTurns();
    const reads = this.#emitReads();
    const made = emitPlaces(state);
    noteWhy(state);
    return {
      effects: [...cancels, ...made.cancels, ...made.orders, ...turns, ...reads, ...ending],
      notes: state.notes,
      nextDeadlineMs: this.#nextDeadlineMs(),
    };
  }

  /** Mid of a market's book less our own orders, for reports; undefined while the book is not in sync or a side is empty. */
  mid(marketId: MarketId): number | undefined {
    const market = this.#state.markets.get(marketId);
    return market === undefined ? undefined : bookLessOwn(this.#state, market)?.mid;
  }

  /** How much each of its maps and lists holds: all of it is bounded, however long it runs. */
  get sizes(): Readonly<Record<string, number>> {
    const { orders, reads, nonces, modifies, turnsWanted, notes } = this.#state;
    const { counts } = orders;
    return {
      ...orders.sizes,
      live: counts.inFlight + counts.unknown + counts.working,
      ended: counts.ended,
      missingFills: counts.missingFills,
      reads: reads.size,
      nonces: nonces.remembered,
      openModifies: modifies.open.size,
      turnsWanted,
      notes: notes.length,
    };
  }

  /** Rate tokens for requests that others make. */
  #emitTurns(): Effect[] {
    const state = this.#state;
    let count = 0;
    while (count < state.turnsWanted && state.budget.tryTake("turn", state.nowMs)) count += 1;
    state.turnsWanted -= count;
    return count === 0 ? [] : [{ type: "turns", count }];
  }

  #emitReads(): Effect[] {
    const { reads, orders, budget, nowMs } = this.#state;
    for (const order of orders.toAsk(nowMs)) {
      if (order.orderId === undefined) continue;
      reads.want({ type: "order", orderId: order.orderId }, nowMs);
      orders.asked(order, nowMs);
    }
    return reads
      .emit(nowMs, () => budget.tryTake("read", nowMs))
      .map((read) => (read.type === "openOrders" ? openOrdersRead(this.#state) : read));
  }

  #nextDeadlineMs(): number | undefined {
    const { reads, orders, desks, budget, probe, nowMs, phase, blockedUntilMs } = this.#state;
    if (phase === "finished") return undefined;
    const times = [orders.nextAskMs(), nextWithdrawalMs(this.#state), blockedUntilMs];
    times.push(nextAuditWarningMs(this.#state), stopLimitMs(this.#state));
    const readMs = reads.nextMs();
    // A read that is due already found no token.
    if (readMs !== undefined) {
      times.push(readMs > nowMs ? readMs : budget.nextFreeMs("read", nowMs));
    }
    if (this.#state.turnsWanted > 0) times.push(budget.nextFreeMs("turn", nowMs));
    // One that is due already waits for the venue's clock, or stands in `blockedUntilMs`.
    if (probe.phase === "wanted" && probe.retryAtMs > nowMs) times.push(probe.retryAtMs);
    for (const { runner } of desks) {
      // One that is past waits for the book or for a pause to end, not for time.
      if ((runner.wakeAtMs ?? 0) > nowMs) times.push(runner.wakeAtMs);
      times.push(runner.stops.nextMs(nowMs));
      for (const side of ["BUY", "SELL"] as const) {
        if (runner.rest[side].untilMs > nowMs) times.push(runner.rest[side].untilMs);
      }
    }
    let next: number | undefined;
    for (const time of times) {
      if (time !== undefined && Number.isFinite(time) && (next === undefined || time < next))
        next = time;
    }
    return next;
  }
}
