import type { CancelCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { NONCE_AHEAD_MAX_MS } from "../execution/nonce.ts";
import type { Clock } from "../ports/clock.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import { type CancelSource, signedCancels } from "./last-cancels.ts";
import { type LastNonces, nonceShare, RESERVED_NONCES, UNRECORDED_NONCES } from "./last-nonces.ts";

export interface UnrecordedNoncesOptions {
  readonly clock: Clock;
  /** `beyondLostNonces` of the journal's highest nonce. */
  readonly highWater: number;
  /** All orders that the journal restores, in its order. */
  readonly orderIds: readonly OrderId[];
  /** The venue's clock minus ours; undefined when it is not known. */
  readonly offsetMs: number | undefined;
  /** Left out: the venue has no bound. */
  readonly nonceWindowMs: number | undefined;
  /** Of all other cancels of this process, so that none of their nonces is given again. */
  readonly others: LastNonces;
}

/** More nonces than `LastNonces` is ahead of its clock: commands of one millisecond have rising ones. */
const BURST_NONCES = 1_000;

/** Cancels that the journal does not get. */
export function unrecordedCancels(
  sign: (command: CancelCommand) => SignedCommand,
  options: UnrecordedNoncesOptions,
): CancelSource {
  return signedCancels({ nonces: new UnrecordedNonces(options), sign, record: () => undefined });
}

/**
 * Nonces for cancels that the journal does not get, because the disk is full or another process holds it. The next process that cancels from
 * the same journal knows none of them, so each nonce belongs to one order: it may sign the same cancel again, never another command. They are
 * below all nonces of later runs. Where they are not near the venue's clock, or were refused, nonces by the clock are used instead, except while
 * the clock is among those that belong to orders or runs.
 */
export class UnrecordedNonces {
  readonly #clock: Clock;
  readonly #options: UnrecordedNoncesOptions;
  /** The first reserved nonce of the first order. */
  readonly #first: number;
  readonly #rounds: number;
  readonly #firstRound: number;
  /** Number of nonces given for each order. */
  readonly #given = new Map<OrderId, number>();
  #areRefused = false;

  constructor(options: UnrecordedNoncesOptions) {
    const { clock, highWater, orderIds } = options;
    const { length } = orderIds;
    this.#clock = clock;
    this.#options = options;
    this.#first = Math.ceil((highWater + 1 - UNRECORDED_NONCES) / length) * length;
    this.#rounds = Math.floor((highWater + 1 - this.#first) / length);
    // Bytes that the venue has seen get its first answer again (D6), so each process begins with another round.
    this.#firstRound = clock.nowMs() % this.#rounds;
  }

  next(orderId: OrderId): number {
    const { orderIds, others } = this.#options;
    const share = nonceShare(orderIds, orderId);
    const isByClock = (this.#areRefused && !this.#isClockReserved()) || !this.#areNear();
    if (share === undefined || this.#rounds === 0 || isByClock) return others.nextByClock(orderId);
    const given = this.#given.get(orderId) ?? 0;
    this.#given.set(orderId, given + 1);
    const round = (this.#firstRound + given) % this.#rounds;
    return this.#first + round * share.of + share.at;
  }

  refused(): void {
    if (this.#areRefused) this.#options.others.refused();
    this.#areRefused = !this.#areRefused;
  }

  /** A nonce by the clock could be that of a run whose journal failed. */
  #isClockReserved(): boolean {
    const aheadMs = this.#options.highWater - this.#venueMs();
    return aheadMs >= 0 && aheadMs <= RESERVED_NONCES + BURST_NONCES;
  }

  #venueMs(): number {
    return this.#clock.nowMs() + (this.#options.offsetMs ?? 0);
  }

  #areNear(): boolean {
    const { highWater, nonceWindowMs = Number.POSITIVE_INFINITY } = this.#options;
    const distanceMs = Math.abs(this.#venueMs() - highWater);
    return distanceMs <= Math.min(NONCE_AHEAD_MAX_MS, nonceWindowMs / 2);
  }
}
