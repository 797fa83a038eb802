import { counted } from "../base/counted.ts";
import { percentText } from "../domain/setting.ts";
import type { CompiledRecording } from "../recordings/columns/compiled-recording.ts";
import type { ReplayMarket } from "./replay-setup.ts";

/** A replay that plays a smaller share of the recorded time says so, and so does one that leaves out a larger share of the rows. */
const PLAYED_MIN = 0.95;

/** The time that was wanted, and the time from the bot's start to its stop, Unix milliseconds. */
export interface PlayedTime {
  readonly wantedFromMs: number | undefined;
  readonly wantedToMs: number | undefined;
  readonly startMs: number;
  readonly stopMs: number;
}

/** Sentences for the user about what a replay does not play of a recording. */
export function unplayedWarnings(
  source: CompiledRecording,
  markets: readonly ReplayMarket[],
  { wantedFromMs, wantedToMs, startMs, stopMs }: PlayedTime,
): readonly string[] {
  const warnings: string[] = [];
  const texts = markets.flatMap(({ recordedId }) => source.market(recordedId)?.text ?? []);
  const recorded = texts.filter(({ rows }) => rows > 0);
  const fromMs = Math.max(wantedFromMs ?? 0, Math.min(...recorded.map((text) => text.fromMs)));
  const toMs = Math.min(wantedToMs ?? Infinity, Math.max(...recorded.map((text) => text.toMs)));
  const [playedMs, wholeMs] = [stopMs - startMs, toMs - fromMs];
  if (playedMs < PLAYED_MIN * wholeMs) {
    warnings.push(
      `only ${seconds(playedMs)} of the recorded ${seconds(wholeMs)} were played (${shareText(playedMs / wholeMs)}), from ${utcText(startMs)} to ${utcText(stopMs)}.`,
    );
  }
  for (const { recordedId } of markets) {
    const { rows, leftOut } = source.market(recordedId)?.text ?? { rows: 0, leftOut: 0 };
    if (leftOut <= (1 - PLAYED_MIN) * rows) continue;
    warnings.push(
      `${leftOut} of ${counted(rows, "recorded row")} of ${recordedId} are left out (${shareText(leftOut / rows)}): \`touchline recording check\` names their defects.`,
    );
  }
  return warnings;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

function shareText(share: number): string {
  return percentText(Math.round(share * 1000) / 1000);
}

function utcText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
