import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Layer1Outcome, WithdrawalRecord } from "../exchange/withdrawals.ts";

export interface SettlementOptions {
  /** Time from the acceptance of a withdrawal to its execution on layer 1. */
  readonly delayMs: number;
  /** How the layer-1 phase of a withdrawal ends. */
  readonly layer1: (withdrawal: WithdrawalRecord) => Layer1Outcome;
}

/** Executes accepted withdrawals on the simulated layer 1, each after the same delay (D33). */
export class Settlements {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #options: SettlementOptions;
  #pending: TimerHandle | undefined;

  /** Resumes withdrawals that already wait. */
  constructor(
    exchange: Exchange,
    ports: { readonly clock: Clock; readonly timer: Timer },
    options: SettlementOptions,
  ) {
    this.#exchange = exchange;
    this.#clock = ports.clock;
    this.#timer = ports.timer;
    this.#options = options;
    this.#arm();
  }

  /** Executes due withdrawals. Called before a retry and after a withdrawal was accepted. */
  executeDue(): void {
    for (;;) {
      const { nextWithdrawal: next } = this.#exchange;
      const nowMs = this.#clock.nowMs();
      if (next === undefined || nowMs < this.#dueMs(next)) break;
      this.#exchange.settleWithdrawal(next.txHash, this.#options.layer1(next), nowMs);
    }
    this.#arm();
  }

  stop(): void {
    this.#pending?.cancel();
    this.#pending = undefined;
  }

  #arm(): void {
    const { nextWithdrawal: next } = this.#exchange;
    if (next === undefined || this.#pending !== undefined) return;
    const waitMs = Math.max(0, this.#dueMs(next) - this.#clock.nowMs());
    this.#pending = this.#timer.after(waitMs, () => {
      this.#pending = undefined;
      this.executeDue();
    });
  }

  #dueMs(withdrawal: WithdrawalRecord): number {
    return withdrawal.acceptedAtMs + this.#options.delayMs;
  }
}
