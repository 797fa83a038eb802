/**
 * Estimators for strategies: pure functions over states that are plain data for JSON, so that `state.save` may return a state as it is.
 *
 * An estimator is made of its options, in each decision if they are parameters; only the state lives on:
 *
 *   const estimator = volatility({ halfLifeMs: params.halfLife });
 *   estimator.update(state.volatility, { timeMs: view.nowMs, price: view.book.mid });   // state.volatility = estimator.start() in init
 *   const sigma = estimator.value(state.volatility);
 *
 * A sample's weight halves every half-life. While the samples weigh less than `minSamples`, `prior` stands in for those that are missing:
 * at a cold start the value is the prior, from `minSamples` on it is that of the samples alone, and when samples stop it returns to the prior.
 * Options that no estimator can be made of throw TypeError.
 */
export interface Estimator<Sample, State, Value = number> {
  start(): State;
  /** Changes `state` in place. */
  update(state: State, sample: Sample): void;
  /** Whether the samples alone give the value. */
  isReady(state: State): boolean;
  /** Undefined while it is not ready and there is no prior. */
  value(state: State): Value | undefined;
  /** Standard error of the value of the samples alone; undefined before there are enough for one. */
  standardError(state: State): Value | undefined;
}

export interface EstimatorOptions<Value = number> {
  readonly halfLifeMs: number;
  /** Default 20. */
  readonly minSamples?: number | undefined;
  readonly prior?: Value | undefined;
}

export const MIN_SAMPLES = 20;

/** Throws TypeError with `sentence` unless the options of an estimator are right. */
export function needs(isRight: boolean, sentence: string): void {
  if (!isRight) throw new TypeError(sentence);
}

/** Throws TypeError unless `halfLifeMs` is a time. */
export function needsHalfLife({ halfLifeMs }: Pick<EstimatorOptions, "halfLifeMs">): void {
  needs(halfLifeMs > 0, `halfLifeMs is ${halfLifeMs}, it must be above 0.`);
}

/** Default of `maxGapMs`: a longer time between two updates was not watched, as in an outage or a restart. */
export const MAX_GAP_MS = 10_000;

/** A public trade, as `view.trades` has them. */
export interface TradeSample {
  readonly timeMs: number;
  readonly price: number;
  /** The seller was the taker. */
  readonly isBuyerMaker: boolean;
}
