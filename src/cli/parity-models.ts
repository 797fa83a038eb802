import { defaultLatencies, MEASURED, plainLatency } from "../parity/latency-choice.ts";
import { defaultFills, type FillSettings, queueNames } from "../simulated/queue-models.ts";
import { usageError } from "./exit-code.ts";

/** The fill models of `--queue`; all without one. Throws a usage error. */
export function chosenQueues(names: readonly string[]): readonly FillSettings[] {
  for (const name of names) {
    if (queueNames.some((known) => known === name)) continue;
    throw usageError(`--queue ${name} must be ${queueNames.join(" or ")}.`);
  }
  return queueNames
    .filter((name) => names.length === 0 || names.includes(name))
    .map((queue) => ({ ...defaultFills, queue }));
}

/** The latencies of `--latency`; a list of constant ones and the measured one by default. Throws a usage error. */
export function chosenLatencies(names: readonly string[]): readonly string[] {
  if (names.length === 0) return defaultLatencies;
  for (const name of names) {
    if (name === MEASURED || plainLatency(name) !== undefined) continue;
    throw usageError(
      `--latency ${name} is not a delay.`,
      `Write ${MEASURED}, 20ms, uniform(MIN, MAX), normal(MEAN, DEVIATION), lognormal(MEAN, DEVIATION) or exponential(MEAN).`,
    );
  }
  return [...new Set(names)];
}
