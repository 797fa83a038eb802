import type { Prng } from "../base/prng.ts";

/** How long one kind of message travels; all times in milliseconds. */
export type DelaySettings =
  | { readonly type: "constant"; readonly ms: number }
  | { readonly type: "uniform"; readonly min: number; readonly max: number }
  /** Below 0 it is 0. */
  | { readonly type: "normal"; readonly mean: number; readonly deviation: number }
  /** Mean and standard deviation of the delay itself. */
  | { readonly type: "lognormal"; readonly mean: number; readonly deviation: number }
  | { readonly type: "exponential"; readonly mean: number; readonly min: number }
  /** Measured delays in order of time, at least one. */
  | { readonly type: "trace"; readonly samples: readonly DelaySample[] }
  /** Market data of a recording only: its own times of the exchange and of receipt, the shortest delay being `min`. */
  | { readonly type: "recorded"; readonly min: number };

export interface DelaySample {
  readonly timeMs: number;
  readonly ms: number;
}

/** As the configuration writes it; of a trace only the number of its delays. */
export function delayText(settings: DelaySettings): string {
  switch (settings.type) {
    case "constant":
      return `${settings.ms}ms`;
    case "uniform":
      return `uniform(${settings.min}ms, ${settings.max}ms)`;
    case "normal":
    case "lognormal":
      return `${settings.type}(${settings.mean}ms, ${settings.deviation}ms)`;
    case "exponential":
      return `exponential(${settings.mean}ms, ${settings.min}ms)`;
    case "trace":
      return `trace of ${settings.samples.length} delays`;
    case "recorded":
      return `recorded(${settings.min}ms)`;
  }
}

/** Draws the delay of one message that is sent at this time, in milliseconds with decimals. */
export type Delay = (sentMs: number) => number;

/** The delay of these settings. Its random draws come from `prng`. */
export function delayOf(settings: DelaySettings, prng: Prng): Delay {
  switch (settings.type) {
    case "constant":
      return () => settings.ms;
    case "uniform":
      return () => settings.min + (settings.max - settings.min) * prng.unit();
    case "normal":
      return () => Math.max(0, settings.mean + settings.deviation * prng.normal());
    case "lognormal": {
      // exp of a normal variable has the mean exp(μ + σ² ÷ 2) and the relative variance exp(σ²) − 1.
      const variance = Math.log(1 + (settings.deviation / settings.mean) ** 2);
      const mu = Math.log(settings.mean) - variance / 2;
      return () => Math.exp(mu + Math.sqrt(variance) * prng.normal());
    }
    case "exponential":
      return () => settings.min + prng.exponential(settings.mean - settings.min);
    case "trace":
      return traced(settings.samples);
    case "recorded":
      return () => settings.min;
  }
}

/** The measured delay that was newest at the same time after the start; a trace that ends begins again. */
function traced(samples: readonly DelaySample[]): Delay {
  const first = samples[0]?.timeMs ?? 0;
  const spanMs = (samples.at(-1)?.timeMs ?? 0) - first + 1;
  let startMs: number | undefined;
  let at = 0;
  return (sentMs) => {
    startMs ??= sentMs;
    const timeMs = first + ((sentMs - startMs) % spanMs);
    if ((samples[at]?.timeMs ?? 0) > timeMs) at = 0;
    while ((samples[at + 1]?.timeMs ?? Number.POSITIVE_INFINITY) <= timeMs) at += 1;
    return samples[at]?.ms ?? 0;
  };
}
