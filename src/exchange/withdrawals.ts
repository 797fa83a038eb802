import type { Address, OrderId, TokenId } from "../domain/ids.ts";
import type { Fixed } from "../domain/fixed.ts";
import { assert } from "../base/assert.ts";
import type { UnixMs } from "../domain/time.ts";
import { EXECUTED_ELSEWHERE } from "../spec/endpoints/withdraw-retry.ts";
import { type Refusal, refused } from "./records.ts";
import type { BlockBuilder } from "./block-builder.ts";
import { flat, type SnapshotPart, partNow, type SavedRows, unflat } from "./snapshot.ts";
import { syntheticHash } from "./order.ts";

/** An accepted withdrawal, whose money has left layer 2. */
export interface WithdrawalRecord {
  /** On layer 2. */
  readonly txHash: OrderId;
  readonly account: Address;
  /** On layer 1. */
  readonly to: Address;
  readonly tokenId: TokenId;
  readonly amount: Fixed;
  readonly acceptedAtMs: UnixMs;
}

/** How the layer-1 phase of a withdrawal ended (D33). */
export type Layer1Outcome = "executed" | "failed" | "executed-elsewhere";

/** Result of a retry: the layer-1 hash, or `0x0` when another party executed the withdrawal. */
export type RetryResult = { readonly type: "executed"; readonly l1Hash: string } | Refusal;

interface Withdrawal {
  readonly record: WithdrawalRecord;
  state: "waiting" | Layer1Outcome;
  /** On layer 1, once the venue executed it. */
  l1Hash: OrderId | undefined;
}

/**
 * Withdrawals on layer 1, which the paper venue simulates (D33). Each waits until `settle` is called; a failed one waits for a
 * retry. Each settlement and each retry is a block of its own (D35).
 */
export class Withdrawals {
  readonly #blocks: BlockBuilder;
  readonly #max: number;
  /** Oldest first. */
  readonly #byHash = new Map<OrderId, Withdrawal>();
  readonly #waiting = new Set<Withdrawal>();
  #executions = 0;

  /** Remembers the newest `max` withdrawals, and all that still wait. */
  constructor(blocks: BlockBuilder, max: number) {
    this.#blocks = blocks;
    this.#max = max;
  }

  /** The oldest withdrawal that is not settled yet. */
  get next(): WithdrawalRecord | undefined {
    for (const { record } of this.#waiting) return record;
    return undefined;
  }

  add(record: WithdrawalRecord): void {
    const withdrawal: Withdrawal = { record, state: "waiting", l1Hash: undefined };
    this.#byHash.set(record.txHash, withdrawal);
    this.#waiting.add(withdrawal);
    if (this.#byHash.size <= this.#max) return;
    for (const [txHash, { state }] of this.#byHash) {
      if (state === "waiting") continue;
      this.#byHash.delete(txHash);
      return;
    }
  }

  /** Ends the layer-1 phase of a waiting withdrawal. */
  settle(txHash: OrderId, outcome: Layer1Outcome, nowMs: UnixMs): void {
    const withdrawal = this.#byHash.get(txHash);
    assert(withdrawal?.state === "waiting", "a withdrawal that waits");
    this.#blocks.open(nowMs, undefined);
    this.#waiting.delete(withdrawal);
    withdrawal.state = outcome;
    if (outcome === "executed") withdrawal.l1Hash = this.#newHash();
    this.#blocks.close();
  }

  /** Repeats the layer-1 phase of a failed withdrawal. */
  retry(txHash: OrderId, nowMs: UnixMs): RetryResult {
    const withdrawal = this.#byHash.get(txHash);
    if (withdrawal === undefined) {
      return refused("notFound", `There is no withdrawal ${txHash}.`);
    }
    switch (withdrawal.state) {
      case "waiting":
        return refused("invalid", `Withdrawal ${txHash} still waits for its layer-1 execution.`);
      case "executed-elsewhere":
        return { type: "executed", l1Hash: EXECUTED_ELSEWHERE };
      case "failed":
        this.#blocks.open(nowMs, undefined);
        withdrawal.state = "executed";
        withdrawal.l1Hash = this.#newHash();
        this.#blocks.close();
        break;
      case "executed":
        break;
    }
    assert(withdrawal.l1Hash !== undefined, "an executed withdrawal has its hash");
    return { type: "executed", l1Hash: withdrawal.l1Hash };
  }

  #newHash(): OrderId {
    this.#executions += 1;
    return syntheticHash("layer1", this.#executions);
  }

  save(): SnapshotPart[] {
    const rows = [...this.#byHash.values()].map(
      ({ record, state, l1Hash }): WithdrawalRow => [flat(record), state, l1Hash ?? null],
    );
    return [partNow("withdrawals", rows), partNow("layer1-executions", [this.#executions])];
  }

  restore(saved: SavedRows): void {
    for (const [row, state, l1Hash] of saved<WithdrawalRow>("withdrawals")) {
      const record = unflat<WithdrawalRecord>(row);
      const withdrawal: Withdrawal = { record, state, l1Hash: l1Hash ?? undefined };
      this.#byHash.set(record.txHash, withdrawal);
      if (state === "waiting") this.#waiting.add(withdrawal);
    }
    for (const count of saved<number>("layer1-executions")) this.#executions = count;
  }
}

type WithdrawalRow = readonly [record: unknown, state: Withdrawal["state"], l1Hash: OrderId | null];
