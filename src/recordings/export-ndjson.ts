import { eventLine } from "./event-line.ts";
import { type ExportedFile, plainSymbol, exportInto } from "./export-file.ts";
import type { Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import type { Steps } from "./steps.ts";
import { syncedTexts } from "./synced-texts.ts";
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
  return yield* exportInto(io, out, function* (files) {
    const texts = new Map<string, TextFile>();
    for (const { marketId, symbol } of recording.manifest.markets) {
      texts.set(marketId, new TextFile(files.open(`${plainSymbol(symbol)}.ndjson`)));
    }
    yield* syncedTexts(recording, (event) =>
      texts.get(event.marketId)?.line(eventLine(event).trimEnd()),
    );
    return [...texts.values()].map((file) => {
      file.end();
      return { path: file.path, rows: file.lines };
    });
  });
}
