import { parseDelay } from "../config/delay-setting.ts";
import type { DelaySettings } from "../simulated/delay.ts";
import type { LatencySettings } from "../simulated/latency-model.ts";
import type { MeasuredLatency } from "./live-run.ts";

/** A latency to try: its name as the user writes it, and its settings. */
export interface LatencyChoice {
  readonly name: string;
  readonly settings: LatencySettings;
  /** Market data arrives when the run received them. */
  readonly usesRecordedFeed: boolean;
}

/** Stands for the delays that the journal itself shows. */
export const MEASURED = "measured";

export const defaultLatencies: readonly string[] = [
  "0ms",
  "5ms",
  "20ms",
  "50ms",
  "200ms",
  MEASURED,
];

const SEED = 1;

/** The same delay for all messages; undefined for a text that is not a delay, or that needs a file. */
export function plainLatency(name: string): LatencyChoice | undefined {
  const delay = parseDelay(name);
  if (delay === undefined || delay.type === "trace" || delay.type === "recorded") return undefined;
  const settings = { entry: delay, response: delay, feed: delay, seed: SEED };
  return { name, settings, usesRecordedFeed: false };
}

/**
 * The delays that the run had; undefined when its journal does not show them. A trace counts time from its first message, so it begins at
 * `startMs`, the start of the replay.
 */
export function measuredLatency(
  { entry, response, feed }: MeasuredLatency,
  startMs: number,
): LatencyChoice | undefined {
  if (entry.length === 0 || response.length === 0 || feed.length === 0) return undefined;
  const trace = (samples: typeof entry): DelaySettings => ({
    type: "trace",
    samples: [
      { timeMs: startMs, ms: samples[0]?.ms ?? 0 },
      ...samples.filter(({ timeMs }) => timeMs > startMs),
    ],
  });
  const settings = {
    entry: trace(entry),
    response: trace(response),
    feed: trace(feed),
    seed: SEED,
  };
  return { name: MEASURED, settings, usesRecordedFeed: true };
}
