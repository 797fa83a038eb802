import type { OrderId } from "../domain/ids.ts";
import { isTimeNonce } from "../domain/time-nonce.ts";
import { NONCE_AHEAD_MAX_MS, NonceAllocator } from "../execution/nonce.ts";
import type { Clock } from "../ports/clock.ts";

/** Readings of the venue's clock that differ by less are the same. */
const SAME_OFFSET_MS = 1_000;

/** More nonces than a run can use for the cancels that it sends after its journal has failed. */
const LOST_NONCES = 1_000;

/** Nonces of cancels by processes that write nothing to the journal (`UnrecordedNonces`), above those. */
export const UNRECORDED_NONCES = 1_000;

/** Both kinds: a run gives none of these to its own commands. */
export const RESERVED_NONCES = LOST_NONCES + UNRECORDED_NONCES;

/**
 * The highest nonce that earlier processes may have used, given the highest in their journal: cancels leave also when the journal cannot
 * be written.
 */
export function beyondLostNonces(highWater: number): number {
  return highWater === 0 ? 0 : highWater + RESERVED_NONCES;
}

/** Nonces remembered, so that no kind gives one of another kind again. */
const REMEMBERED = 65_536;

/**
 * The nonces that cancels of one order may take between two runs: those that leave `at` when divided by `of`. So processes that do not know of
 * each other may sign the same cancel twice, never two commands with one nonce (docs/decisions/160).
 */
export interface NonceShare {
  readonly at: number;
  readonly of: number;
}

/** Undefined when `orderId` is not among `orderIds`, and when there are more orders than nonces to share. */
export function nonceShare(orderIds: readonly OrderId[], orderId: OrderId): NonceShare | undefined {
  const at = orderIds.indexOf(orderId);
  return at < 0 || orderIds.length > UNRECORDED_NONCES ? undefined : { at, of: orderIds.length };
}

/** A kind of nonces: those of `allocator` at the venue's time by `offsetMs`. */
interface NonceKind {
  readonly allocator: NonceAllocator;
  readonly offsetMs: number;
}

/**
 * Nonces for the cancels after a crash. Which clock is right may be unknown then, so there are several kinds: at the venue's time by
 * each of `offsetsMs` (best first, ours last), and above the highest nonce used so far. After a refusal the next kind takes over. No
 * nonce is given twice.
 */
export class LastNonces {
  readonly #clock: Clock;
  readonly #kinds: readonly NonceKind[];
  /** Those at the venue's time. */
  readonly #near: readonly NonceKind[];
  /** Nonces given, oldest first. A kind at a clock that is behind comes to the times of one that was ahead. */
  readonly #given = new Set<number>();
  readonly #orderIds: readonly OrderId[];
  #at = 0;

  /** `orderIds`: all orders that the journal restores, in its order. */
  constructor(
    clock: Clock,
    highWater: number,
    offsetsMs: readonly (number | undefined)[],
    orderIds: readonly OrderId[],
  ) {
    this.#clock = clock;
    this.#orderIds = orderIds;
    const nowMs = clock.nowMs();
    const offsets: number[] = [];
    for (const offsetMs of [...offsetsMs, 0]) {
      if (offsetMs === undefined || !isTimeNonce(Math.floor(nowMs + offsetMs))) continue;
      const isKnown = offsets.some((known) => Math.abs(known - offsetMs) < SAME_OFFSET_MS);
      if (!isKnown) offsets.push(offsetMs);
    }
    const [bestMs = 0] = offsets;
    const above: NonceKind = { allocator: new NonceAllocator(), offsetMs: bestMs };
    above.allocator.observe(highWater);
    const near = offsets.map(
      (offsetMs): NonceKind => ({ allocator: new NonceAllocator(), offsetMs }),
    );
    // A highest nonce far ahead means that the venue's clock was set back, and nonces near it are the better guess.
    const isFar = highWater > nowMs + bestMs + NONCE_AHEAD_MAX_MS;
    this.#kinds = isFar ? [...near, above] : [above, ...near];
    this.#near = near;
  }

  /** Highest nonce given, or used before. */
  get highWater(): number {
    return Math.max(...this.#kinds.map(({ allocator }) => allocator.highWater));
  }

  next(orderId: OrderId): number {
    return this.#next(this.#kinds, orderId);
  }

  /** As `next`, by a clock only: a process that does not know of this nonce begins above the highest that was used before. */
  nextByClock(orderId: OrderId): number {
    return this.#next(this.#near.length > 0 ? this.#near : this.#kinds, orderId);
  }

  #next(kinds: readonly NonceKind[], orderId: OrderId): number {
    const kind = kinds[this.#at % kinds.length];
    if (kind === undefined) throw new RangeError("there is always a kind of nonces");
    const { at, of } = nonceShare(this.#orderIds, orderId) ?? { at: 0, of: 1 };
    let nonce: number;
    do {
      nonce = kind.allocator.nextAhead(this.#clock.nowMs(), kind.offsetMs);
    } while (this.#given.has(nonce) || nonce % of !== at);
    this.#remember(nonce);
    return nonce;
  }

  refused(): void {
    this.#at = (this.#at + 1) % this.#kinds.length;
  }

  #remember(nonce: number): void {
    this.#given.add(nonce);
    if (this.#given.size <= REMEMBERED) return;
    for (const oldest of this.#given) {
      this.#given.delete(oldest);
      return;
    }
  }
}
