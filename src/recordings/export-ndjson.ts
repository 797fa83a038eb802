import type { MarketId } from "../domain/ids.ts";
import { eventLine } from "./event-line.ts";
import { type ExportedFile, type ExportFiles, plainSymbol, exportInto } from "./export-file.ts";
import type { Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { EVENTS_PER_STEP, type Steps } from "./steps.ts";
import { SyncedTexts } from "./synced-texts.ts";
import { TextFile } from "./text-file.ts";

/**
 * Writes `SYMBOL.ndjson` for each market: the lines of the recording in the order that rebuilds the book, with a snapshot before the
 * events that continue it. Prices and quantities are the recorded text. Throws TouchlineError `FILE_EXISTS`.
 */
export function* exportNdjson(
  io: RecordingIo,
  recording: Recording,
  out: string,
): Steps<readonly ExportedFile[]> {
  return yield* exportInto(io, out, (files) => writeMarkets(recording, files));
}

function* writeMarkets(recording: Recording, files: ExportFiles): Steps<readonly ExportedFile[]> {
  const snapshotIds = recording.snapshotIds();
  const markets = new Map<string, { readonly texts: SyncedTexts; readonly file: TextFile }>();
  for (const { marketId, symbol } of recording.manifest.markets) {
    const texts = new SyncedTexts(marketId as MarketId, snapshotIds.get(marketId) ?? []);
    const file = new TextFile(files.open(`${plainSymbol(symbol)}.ndjson`));
    markets.set(marketId, { texts, file });
  }
  let events = 0;
  for (const { event, share } of recording.placedEvents()) {
    const market = markets.get(event.marketId);
    for (const each of market?.texts.take(event) ?? [])
      market?.file.line(eventLine(each).trimEnd());
    events += 1;
    if (events % EVENTS_PER_STEP === 0) yield share;
  }
  return [...markets.values()].map(({ file }) => {
    file.end();
    return { path: file.path, rows: file.lines };
  });
}
