import { setTimeout as pause } from "node:timers/promises";
import type { Line } from "../support/touchline-process.ts";
import { BusyBot, type BusyBotOptions, type BusySample } from "./busy-bot.ts";

/**
 * WebSocket messages that the demo's bot receives on all its channels, 11 of them depth, measured with one market at speed 1 over the four
 * minutes that its recording takes forwards and backwards.
 */
export const demoFramesPerSecond = 18;

interface BusyRun {
  readonly samples: readonly BusySample[];
  /** The last line of the bot. */
  readonly summary: Line;
  readonly exitCode: number | null;
  /** Means a second: of frames between the first and the last sample, of the others over the whole run. */
  readonly rates: Readonly<Record<"frames" | "depthFrames" | CountedRate, number>>;
  /** Deletes the run's files. A run whose figures are wrong keeps them. */
  remove(): void;
}

const counted = ["requests", "quotesPlaced", "fills"] as const;
type CountedRate = (typeof counted)[number];

/** Runs a busy bot for `lastsMs`, or longer until there are two samples, and stops it as Ctrl-C does. */
export async function busyRun(
  options: BusyBotOptions & {
    readonly lastsMs: number;
    sampled?(sample: BusySample): void;
  },
): Promise<BusyRun> {
  const busy = await BusyBot.start(options);
  const startedMs = Date.now();
  const samples: BusySample[] = [];
  while (Date.now() - startedMs < options.lastsMs || samples.length < 2) {
    await pause(options.sampleMs);
    const sample = busy.sample(startedMs);
    if (sample === undefined || sample.hours === samples.at(-1)?.hours) continue;
    samples.push(sample);
    options.sampled?.(sample);
  }
  const exitCode = await busy.stop();
  const summary = await busy.bot.line("summary");
  const [first, last] = [samples.at(0), samples.at(-1)];
  const perSecond = (name: "frames" | "depthFrames"): number =>
    first === undefined || last === undefined
      ? 0
      : (last[name] - first[name]) / (3600 * (last.hours - first.hours));
  const mean = (name: CountedRate): number =>
    (1000 * Number(summary[name])) / Number(summary["durationMs"]);
  return {
    samples,
    summary,
    exitCode,
    rates: {
      frames: perSecond("frames"),
      depthFrames: perSecond("depthFrames"),
      requests: mean("requests"),
      quotesPlaced: mean("quotesPlaced"),
      fills: mean("fills"),
    },
    remove: () => busy.remove(),
  };
}
