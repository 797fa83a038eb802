import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { RecordingMarket } from "./manifest.ts";
import { mergeByTime } from "./merge-by-time.ts";
import { joinRules } from "./native-grid.ts";
import { newRecording } from "./new-recording.ts";
import type { PlacedEvent, Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { EVENTS_PER_STEP, type Steps } from "./steps.ts";

interface Part extends PlacedEvent {
  readonly atUs: number;
  /** Number of its recording. */
  readonly from: number;
}

/**
 * Several recordings as one, in the order of receipt: of different markets, or of one market at different times. Where a
 * market goes on in another recording, a mark says that the stream was lost. Gives the number of events.
 * Throws TouchlineError `MERGE_CONFLICT` when a market is recorded twice at once or differs in prices or fees,
 * `RECORDING_EXISTS` or `FOLDER_TAKEN`.
 */
export function* mergeRecordings(
  io: RecordingIo,
  recordings: readonly Recording[],
  options: { readonly out: string },
): Steps<number> {
  const markets = new Map<string, RecordingMarket>();
  for (const { manifest } of recordings) {
    for (const market of manifest.markets) join(markets, market);
  }
  const out = newRecording(io, options.out);
  try {
    /** Which recording a market comes from, and those that it came from before. */
    const current = new Map<MarketId, number>();
    const over = new Set<string>();
    let written = 0;
    for (const { event, from, share } of mergeByTime(recordings.map(partsOf))) {
      const { marketId, atUs } = event;
      const before = current.get(marketId);
      if (before !== undefined && before !== from) {
        over.add(`${before} ${marketId}`);
        const timeMs = unixMs(Math.floor(atUs / 1000));
        const reason = "another recording begins";
        out.writer.append({ type: "mark", atUs, marketId, timeMs, state: "closed", reason });
      }
      if (over.has(`${from} ${marketId}`)) {
        throw new TouchlineError(
          "MERGE_CONFLICT",
          `Two of the recordings have ${marketId} at the same time.`,
          { hint: "Cut one of them first: touchline recording cut --from --to." },
        );
      }
      current.set(marketId, from);
      out.writer.append(event);
      written += 1;
      if (written % EVENTS_PER_STEP === 0) yield share;
    }
    const distinct = (texts: readonly string[]): string => [...new Set(texts)].join("; ");
    const notices = recordings.flatMap(({ manifest }) => manifest.notice ?? []);
    out.finish({
      format: "touchline-recording",
      version: 1,
      markets: [...markets.values()],
      source: distinct(recordings.map(({ manifest }) => manifest.source)),
      ...(notices.length === 0 ? {} : { notice: distinct(notices) }),
    });
    return written;
  } catch (thrown) {
    out.discard();
    throw thrown;
  }
}

function* partsOf(recording: Recording, from: number): Generator<Part> {
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
    markets.set(market.marketId, { ...known, rules: joinRules(known.rules, market.rules) });
    return;
  }
  throw new TouchlineError(
    "MERGE_CONFLICT",
    `The recordings do not agree on ${market.marketId}: symbol, prices as recorded or folded, and fees must be the same.`,
  );
}
