import type { Decimal } from "../domain/decimal.ts";
import type { Side } from "../domain/side.ts";
import type { Estimator, EstimatorOptions } from "./estimator.ts";
import { ewma } from "./ewma.ts";
import { addSample, startMean, type WeightedMean } from "./weighted-mean.ts";

export interface MarkoutSample {
  readonly timeMs: number;
  readonly mid: number | undefined;
  /** Own fills since the update before, as `view.fills` has them. */
  readonly fills: readonly {
    readonly side: Side;
    readonly price: Decimal;
    readonly timeMs: number;
  }[];
}

export interface MarkoutState {
  /** Fills whose horizon has not passed, oldest first; `sign` is 1 for a purchase. */
  readonly pending: { readonly timeMs: number; readonly sign: number; readonly price: number }[];
  readonly mean: WeightedMean;
}

/** Fills that wait at most; the oldest are left out. */
const MAX_PENDING = 1_000;

/**
 * Mean gain of own fills at the mid `horizonMs` later, as a share of their price: below 0, the fills were against the bot. A fill for
 * which there is no mid within another horizon is left out.
 */
export function markout(
  options: EstimatorOptions & { readonly horizonMs: number },
): Estimator<MarkoutSample, MarkoutState> {
  const { horizonMs } = options;
  const mean = ewma(options);
  return {
    start: () => ({ pending: [], mean: startMean() }),
    update(state, { timeMs, mid, fills }) {
      for (const { side, price, timeMs: filledMs } of fills) {
        state.pending.push({
          timeMs: filledMs,
          sign: side === "BUY" ? 1 : -1,
          price: price.toNumber(),
        });
      }
      const { pending } = state;
      pending.splice(0, pending.length - MAX_PENDING);
      for (let [first] = pending; first !== undefined; [first] = pending) {
        const isLate = timeMs >= first.timeMs + 2 * horizonMs;
        if (!isLate && (mid === undefined || timeMs < first.timeMs + horizonMs)) return;
        pending.shift();
        if (isLate || mid === undefined) continue;
        addSample(
          state.mean,
          { timeMs, value: (first.sign * (mid - first.price)) / first.price },
          options,
        );
      }
    },
    isReady: (state) => mean.isReady(state.mean),
    value: (state) => mean.value(state.mean),
    standardError: (state) => mean.standardError(state.mean),
  };
}
