import type { CallTimeRow, StrategyHook } from "../metrics/call-time-row.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { wrappedStrategy } from "./wrapped-strategy.ts";

export interface CallTimesOptions {
  /** Microseconds from an arbitrary start; never goes back. */
  monotonicUs(): number;
  /** A call that takes longer is slow. */
  readonly slowMs: number;
  /** A sentence about slow calls, at most once a minute. Called while the kernel steps, so it must not step it. */
  onSlow(message: string): void;
}

const WARN_EVERY_US = 60_000_000;
/** The first call of a function runs code that is not compiled yet, so it may take this many times as long. */
const FIRST_CALL_FACTOR = 10;

/** Measures the calls of strategies from outside: neither a strategy nor the kernel sees a clock. */
export class CallTimes {
  readonly #options: CallTimesOptions;
  readonly #times: { strategy: string; hook: StrategyHook; histogram: Histogram }[] = [];
  #warnAgainUs = Number.NEGATIVE_INFINITY;
  /** Of the slow calls since the last warning. */
  #slow = { count: 0, maxUs: 0, name: "" };

  constructor(options: CallTimesOptions) {
    this.#options = options;
  }

  /** The same strategy, measured under the name `strategy`. */
  measured(definition: StrategyDefinition, strategy: string): StrategyDefinition {
    const timers = {
      init: this.#timer(strategy, "init"),
      decide: this.#timer(strategy, "decide"),
      describe: this.#timer(strategy, "describe"),
      "state.save": this.#timer(strategy, "state.save"),
      "state.load": this.#timer(strategy, "state.load"),
    };
    return wrappedStrategy(definition, (hook, call) => timers[hook](call));
  }

  /** The functions that were called, in the order of the strategies. */
  get rows(): readonly CallTimeRow[] {
    return this.#times.flatMap(({ strategy, hook, histogram }) => {
      const { count, max: maxUs } = histogram;
      const p50Us = histogram.percentile(0.5);
      const p99Us = histogram.percentile(0.99);
      if (p50Us === undefined || p99Us === undefined) return [];
      return [{ strategy, hook, count, p50Us, p99Us, maxUs }];
    });
  }

  #timer(strategy: string, hook: StrategyHook): <Result>(call: () => Result) => Result {
    const histogram = new Histogram();
    this.#times.push({ strategy, hook, histogram });
    const { monotonicUs, slowMs } = this.#options;
    return (call) => {
      const startUs = monotonicUs();
      try {
        return call();
      } finally {
        const us = monotonicUs() - startUs;
        histogram.add(us);
        const limitUs = slowMs * 1000 * (histogram.count === 1 ? FIRST_CALL_FACTOR : 1);
        if (us > limitUs) this.#noteSlow(`${strategy}: ${hook}`, us, startUs);
      }
    };
  }

  #noteSlow(name: string, us: number, nowUs: number): void {
    const slow = this.#slow;
    slow.count += 1;
    if (us > slow.maxUs) Object.assign(slow, { maxUs: us, name });
    if (nowUs < this.#warnAgainUs) return;
    this.#warnAgainUs = nowUs + WARN_EVERY_US;
    this.#slow = { count: 0, maxUs: 0, name: "" };
    const others = slow.count > 1 ? `; the slowest of ${slow.count} such calls` : "";
    this.#options.onSlow(
      `${slow.name} took ${(slow.maxUs / 1000).toFixed(1)} ms, more than ${this.#options.slowMs} ms${others}. No order can be moved while a strategy is called`,
    );
  }
}
