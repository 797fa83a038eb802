import {
  type Estimator,
  type EstimatorOptions,
  MAX_GAP_MS,
  needs,
  needsHalfLife,
  type TradeSample,
} from "./estimator.ts";
import { ewma, type EwmaOptions } from "./ewma.ts";
import {
  addSample,
  isMeanReady,
  meanError,
  meanOf,
  startMean,
  type WeightedMean,
} from "./weighted-mean.ts";

interface Quote {
  readonly price: number;
  readonly quantity: number;
}

/** The best levels of a book, as `view.book.best` gives them. */
export interface TouchSample {
  readonly timeMs: number;
  readonly bid: Quote | undefined;
  readonly ask: Quote | undefined;
}

export interface OrderFlowState {
  /** Of the update before. */
  touch?: TouchSample & Touch;
  /** Since `sinceMs`, base token. */
  flow: number;
  sinceMs: number;
  readonly mean: WeightedMean;
}

type Touch = Readonly<Record<"bid" | "ask", Quote>>;

/**
 * Order-flow imbalance at the touch (Cont, Kukanov and Stoikov, 2014): what was added to the best bid or taken from the best ask, less the
 * reverse, in base token a second. A sample is the flow of an interval. It begins anew when a side of the book is empty, and when two updates
 * are more than `maxGapMs` (default 10 s) apart.
 */
export function orderFlowImbalance(
  options: EwmaOptions & { readonly maxGapMs?: number | undefined },
): Estimator<TouchSample, OrderFlowState> {
  const { intervalMs = 1_000, maxGapMs = MAX_GAP_MS } = options;
  needsHalfLife(options);
  needs(intervalMs > 0, `intervalMs is ${intervalMs}, it must be above 0.`);
  return {
    start: () => ({ flow: 0, sinceMs: 0, mean: startMean() }),
    update(state, { timeMs, bid, ask }) {
      const { touch: before, mean } = state;
      if (bid === undefined || ask === undefined) {
        delete state.touch;
        return;
      }
      state.touch = { timeMs, bid, ask };
      if (before === undefined || timeMs > before.timeMs + maxGapMs) {
        Object.assign(state, { flow: 0, sinceMs: timeMs });
        return;
      }
      for (; timeMs >= state.sinceMs + intervalMs; state.flow = 0) {
        state.sinceMs += intervalMs;
        const value = state.flow / (intervalMs / 1_000);
        addSample(mean, { timeMs: state.sinceMs, value }, options);
      }
      state.flow += flowBetween(before, state.touch);
    },
    isReady: (state) => isMeanReady(state.mean, options),
    value: (state) => meanOf(state.mean, options),
    standardError: (state) => meanError(state.mean),
  };
}

/** e of the paper's eq. 2. */
function flowBetween(before: Touch, after: Touch): number {
  return (
    (after.bid.price >= before.bid.price ? after.bid.quantity : 0) -
    (after.bid.price <= before.bid.price ? before.bid.quantity : 0) -
    (after.ask.price <= before.ask.price ? after.ask.quantity : 0) +
    (after.ask.price >= before.ask.price ? before.ask.quantity : 0)
  );
}

/** Mean sign of public trades: 1 when takers only buy, −1 when they only sell. A sample is the trades since the one before. */
export function signImbalance(
  options: EstimatorOptions,
): Estimator<readonly Omit<TradeSample, "price">[], WeightedMean> {
  return {
    ...ewma(options),
    update(state, trades) {
      for (const { timeMs, isBuyerMaker } of trades) {
        addSample(state, { timeMs, value: isBuyerMaker ? -1 : 1 }, options);
      }
    },
  };
}
