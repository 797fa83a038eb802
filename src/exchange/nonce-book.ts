import type { Address } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import { transactionLimits } from "../spec/limits.ts";
import { type Refusal, refused } from "./records.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

/** The nonces of one signer. */
interface Used {
  /** Number of sequential nonces used, which is the next one accepted. */
  sequential: number;
  /** Time nonces used, kept while they are inside the window. */
  readonly times: Set<number>;
  /** Size of `times` at which expired nonces are removed. */
  pruneAt: number;
}

type SignerRow = readonly [
  signer: Address,
  sequential: number,
  pruneAt: number,
  times: readonly number[],
];

const PRUNE_AT_LEAST = 256;

export interface NonceLimits {
  /** How far a time nonce may be from the clock. */
  readonly nonceWindowMs: number;
  /** Signers whose sequential nonces are remembered. They are never forgotten: their transactions could be replayed. */
  readonly signers: number;
}

/**
 * The nonces that each signer has used (D6). A value of 10^12 or more is a time nonce, a smaller one is sequential. Time nonces
 * that have left the window are forgotten, since the window refuses them; so are signers with nothing else to remember.
 */
export class NonceBook {
  readonly #windowMs: number;
  readonly #countingMax: number;
  readonly #signers = new Map<Address, Used>();
  /** Signers that have used sequential nonces. */
  #counting = 0;

  constructor(limits: NonceLimits) {
    this.#windowMs = limits.nonceWindowMs;
    this.#countingMax = limits.signers;
  }

  /**
   * Why the nonce is refused: out of order, outside the window, or used by another transaction (D6); undefined when it is good. `isExempt`:
   * the number of counted signers does not matter.
   */
  problem(signer: Address, nonce: number, nowMs: UnixMs, isExempt = false): Refusal | undefined {
    const used = this.#signers.get(signer);
    if (nonce >= transactionLimits.timeNonceFrom) {
      if (Math.abs(nonce - nowMs) > this.#windowMs) {
        return refused(
          "invalid",
          `Time nonce ${nonce} is more than ${this.#windowMs} ms off the venue's clock ${nowMs}.`,
        );
      }
      if (used?.times.has(nonce)) {
        return refused(
          "nonceUsed",
          `Time nonce ${nonce} was used by another transaction of ${signer}.`,
        );
      }
      return undefined;
    }
    const expected = used?.sequential ?? 0;
    if (expected === 0 && !isExempt && this.#counting >= this.#countingMax) {
      return refused(
        "invalid",
        `The venue already counts the nonces of ${this.#countingMax} signers: use time nonces.`,
      );
    }
    if (nonce === expected) return undefined;
    return nonce < expected
      ? refused("nonceUsed", `Nonce ${nonce} was used by another transaction of ${signer}.`)
      : refused(
          "invalid",
          `Nonce ${nonce} leaves a gap: the next one of ${signer} is ${expected}.`,
        );
  }

  /** Marks a nonce as used, after `problem` found nothing wrong with it. */
  use(signer: Address, nonce: number, nowMs: UnixMs): void {
    let used = this.#signers.get(signer);
    if (used === undefined) {
      this.#makeRoom(nowMs);
      used = { sequential: 0, times: new Set(), pruneAt: PRUNE_AT_LEAST };
      this.#signers.set(signer, used);
    }
    if (nonce < transactionLimits.timeNonceFrom) {
      if (used.sequential === 0) this.#counting += 1;
      used.sequential += 1;
      return;
    }
    used.times.add(nonce);
    if (used.times.size < used.pruneAt) return;
    for (const time of used.times) {
      if (time < nowMs - this.#windowMs) used.times.delete(time);
    }
    used.pruneAt = Math.max(PRUNE_AT_LEAST, 2 * used.times.size);
  }

  /** Checks two known signers for every new one, so that signers with nothing to remember leave faster than new ones arrive. */
  #makeRoom(nowMs: UnixMs): void {
    const looked = [...this.#signers.entries().take(2)];
    for (const [signer, used] of looked) {
      for (const time of used.times) {
        // One nonce in the window is enough to keep the signer.
        if (time >= nowMs - this.#windowMs) break;
        used.times.delete(time);
      }
      this.#signers.delete(signer);
      if (used.sequential > 0 || used.times.size > 0) this.#signers.set(signer, used);
    }
  }

  save(): SnapshotPart[] {
    const signers = [...this.#signers].map(
      ([signer, used]): SignerRow => [signer, used.sequential, used.pruneAt, [...used.times]],
    );
    return [partNow("nonces", signers)];
  }

  restore(saved: SavedRows): void {
    for (const [signer, sequential, pruneAt, times] of saved<SignerRow>("nonces")) {
      this.#signers.set(signer, { sequential, pruneAt, times: new Set(times) });
      if (sequential > 0) this.#counting += 1;
    }
  }
}
