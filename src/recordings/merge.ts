import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import { CandleLengths } from "./candle-lengths.ts";
import type { RecordingMarket } from "./manifest.ts";
import { mergeByTime, type TimedSource } from "./merge-by-time.ts";
import { joinRules } from "./native-grid.ts";
import { newRecording } from "./new-recording.ts";
import type { PlacedEvent, Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { recordedSources } from "./source-file.ts";
import { EVENTS_PER_STEP, type Steps } from "./steps.ts";

interface MergedEvent extends PlacedEvent {
  readonly atUs: number;
  /** Index of its recording. */
  readonly from: number;
}

/**
 * Merges recordings of different markets, or of one market at different times, by time of receipt. Where a market continues
 * in another recording, a `closed` mark is written. Returns the number of events.
 * Throws TouchlineError `MERGE_CONFLICT` when two recordings of a market overlap or differ in prices, fees or the length of candles,
 * `RECORDING_EXISTS` or `FOLDER_TAKEN`.
 */
export function* mergeRecordings(
  io: RecordingIo,
  recordings: readonly Recording[],
  options: { readonly out: string },
): Steps<number> {
  const markets = new Map<string, RecordingMarket>();
  const [content, ...others] = new Set(recordings.map(({ manifest }) => manifest.content));
  if (others.length > 0) {
    throw new TouchlineError(
      "MERGE_CONFLICT",
      "Recordings of candles and of books cannot be merged with each other.",
    );
  }
  for (const { manifest } of recordings) {
    for (const market of manifest.markets) join(markets, market);
  }
  const out = newRecording(io, options.out);
  try {
    /** The recording that each market currently comes from, and the ones that it has already left. */
    const current = new Map<MarketId, number>();
    const finished = new Set<string>();
    const lengths = new CandleLengths();
    let written = 0;
    for (const { event, from, share } of mergeByTime(recordings.map(sourceOf))) {
      const { marketId, atUs } = event;
      const before = current.get(marketId);
      if (before !== undefined && before !== from) {
        finished.add(`${before} ${marketId}`);
        const timeMs = unixMs(Math.floor(atUs / 1000));
        const reason = "another recording begins";
        out.writer.append({ type: "mark", atUs, marketId, timeMs, state: "closed", reason });
      }
      if (finished.has(`${from} ${marketId}`)) {
        throw new TouchlineError(
          "MERGE_CONFLICT",
          `Two of the recordings cover ${marketId} at the same time.`,
          { hint: "Cut one of them first: touchline recording cut --from --to." },
        );
      }
      const mixed = lengths.take(event);
      if (mixed !== undefined) {
        throw new TouchlineError(
          "MERGE_CONFLICT",
          `The recordings have candles of ${mixed} of ${marketId}; a recording has one length.`,
        );
      }
      current.set(marketId, from);
      out.writer.append(event);
      written += 1;
      if (written % EVENTS_PER_STEP === 0) yield share;
    }
    const values = recordings.map(({ folder }) => recordedSources(io, folder));
    for (const value of mergeByTime(values)) out.sources.append(value);
    const sources = [...new Set(recordings.flatMap(({ manifest }) => manifest.sources ?? []))];
    const distinct = (texts: readonly string[]): string => [...new Set(texts)].join("; ");
    const notices = recordings.flatMap(({ manifest }) => manifest.notice ?? []);
    out.finish({
      format: "touchline-recording",
      version: 1,
      ...(content === undefined ? {} : { content }),
      markets: [...markets.values()],
      ...(sources.length === 0 ? {} : { sources }),
      source: distinct(recordings.map(({ manifest }) => manifest.source)),
      ...(notices.length === 0 ? {} : { notice: distinct(notices) }),
    });
    return written;
  } catch (thrown) {
    out.discard();
    throw thrown;
  }
}

/**
 * A recording's events. Its first time is read in advance, so that recordings that follow each other are open one at a time.
 */
function sourceOf(recording: Recording, from: number): TimedSource<MergedEvent> {
  return {
    beginUs: beginOf(recording),
    [Symbol.iterator]: () => eventsOf(recording, from),
  };
}

function beginOf(recording: Recording): number {
  for (const { atUs } of recording.events()) return atUs;
  return Number.POSITIVE_INFINITY;
}

function* eventsOf(recording: Recording, from: number): Generator<MergedEvent> {
  for (const placed of recording.placedEvents()) {
    yield { ...placed, atUs: placed.event.atUs, from };
  }
}

function join(markets: Map<string, RecordingMarket>, market: RecordingMarket): void {
  const known = markets.get(market.marketId);
  if (known === undefined) {
    markets.set(market.marketId, market);
    return;
  }
  const isSame =
    known.symbol === market.symbol &&
    known.grid === market.grid &&
    known.makerFee === market.makerFee &&
    known.takerFee === market.takerFee;
  if (isSame) {
    markets.set(market.marketId, {
      ...known,
      ...(market.ids === undefined ? {} : { ids: market.ids }),
      ...(market.tradeIds === undefined ? {} : { tradeIds: market.tradeIds }),
      rules: joinRules(known.rules, market.rules),
    });
    return;
  }
  throw new TouchlineError(
    "MERGE_CONFLICT",
    `The recordings do not agree on ${market.marketId}: symbol, prices as recorded or folded, and fees must be the same.`,
  );
}
