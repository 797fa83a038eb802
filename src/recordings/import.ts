import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { Fold } from "./fold.ts";
import { importFormats } from "./formats.ts";
import type { ImportFormat, SourceFile } from "./formats/import-format.ts";
import type { RecordingMarket } from "./manifest.ts";
import { nameMarket } from "./market-name.ts";
import { mergeByTime } from "./merge-by-time.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { linesOf, type RecordingIo } from "./recording-io.ts";
import { RecordingWriter } from "./recording-writer.ts";

export interface ImportOptions {
  /** Name of a format, see `importFormats`. */
  readonly format: string;
  /** Paths; a file that goes on where another ends is just named, too. */
  readonly files: readonly string[];
  /** A new folder. */
  readonly out: string;
  /** Own names: symbol in capitals to `BASE_QUOTE`. */
  readonly names?: ReadonlyMap<string, string>;
  /** Only these symbols, in capitals; all when absent. */
  readonly symbols?: ReadonlySet<string>;
  /** Prices folded to the venue's grid (§4.5) instead of as recorded. */
  readonly isFolded?: boolean;
  /** Shares of the received token, noted for replays. */
  readonly fees?: { readonly maker: string; readonly taker: string };
  /** Provenance and licence, kept with the recording. */
  readonly notice?: string;
}

/** What was imported, for the command's own words. */
export interface ImportSummary {
  readonly markets: readonly RecordingMarket[];
  readonly events: number;
  /** First and last time of receipt. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Imports a recording from elsewhere: all files merged by time of receipt, markets named, prices as recorded or folded.
 * Throws TouchlineError `IMPORT_FORMAT_UNKNOWN`, `IMPORT_FILE_MISSING`, `IMPORT_BROKEN`, `IMPORT_EMPTY`,
 * `MARKET_NAME_UNKNOWN` or `RECORDING_EXISTS`.
 */
export function importRecording(io: RecordingIo, options: ImportOptions): ImportSummary {
  const format = formatNamed(options.format);
  const files = options.files.map((path) => openSource(io, path));
  const markets = new Map<MarketId, RecordingMarket>();
  const named = new Map<string, MarketId>();
  const nameOf = (symbol: string): MarketId => {
    let marketId = named.get(symbol);
    if (marketId === undefined) {
      marketId = nameMarket(symbol, options.names ?? new Map<string, string>());
      named.set(symbol, marketId);
      if (options.symbols === undefined || options.symbols.has(symbol)) {
        markets.set(marketId, marketOf(marketId, symbol, options));
      }
    }
    return marketId;
  };
  const read = function* (): Generator<RecordedEvent> {
    const sources = files.map((file) => format.read(file, nameOf));
    for (const event of mergeByTime(sources)) if (markets.has(event.marketId)) yield event;
  };
  const writer = new RecordingWriter(io, options.out);
  let events = 0;
  let fromUs = Number.POSITIVE_INFINITY;
  let toUs = 0;
  for (const event of options.isFolded === true ? folded(read) : read()) {
    writer.append(event);
    events += 1;
    fromUs = Math.min(fromUs, event.atUs);
    toUs = Math.max(toUs, event.atUs);
  }
  if (events === 0) {
    throw new TouchlineError(
      "IMPORT_EMPTY",
      "The files hold no depth, book or trade of the wanted markets.",
      {
        context: { format: options.format },
      },
    );
  }
  writer.close();
  const source = `${format.name}: ${files.map((file) => file.name).join(", ")}`;
  const { notice } = options;
  writer.writeManifest({
    format: "touchline-recording",
    version: 1,
    markets: [...markets.values()],
    source,
    ...(notice === undefined ? {} : { notice }),
  });
  return { markets: [...markets.values()], events, fromMs: fromUs / 1000, toMs: toUs / 1000 };
}

/** Two passes: the first learns which snapshots come, so that no market waits for one in vain. */
function* folded(read: () => Iterable<RecordedEvent>): Generator<RecordedEvent> {
  const snapshotIds = new Map<MarketId, number[]>();
  for (const event of read()) {
    if (event.type !== "book") continue;
    const known = snapshotIds.get(event.marketId) ?? [];
    known.push(event.lastId);
    snapshotIds.set(event.marketId, known);
  }
  const folds = new Map<MarketId, Fold>();
  for (const event of read()) {
    let fold = folds.get(event.marketId);
    if (fold === undefined) {
      fold = new Fold(event.marketId, snapshotIds.get(event.marketId) ?? []);
      folds.set(event.marketId, fold);
    }
    yield* fold.take(event);
  }
}

function formatNamed(name: string): ImportFormat {
  const format = importFormats.find((known) => known.name === name);
  if (format !== undefined) return format;
  const known = importFormats.map((each) => each.name).join(", ");
  throw new TouchlineError("IMPORT_FORMAT_UNKNOWN", `There is no import format ${name}.`, {
    hint: `Formats: ${known}.`,
  });
}

function openSource(io: RecordingIo, path: string): SourceFile {
  const bytes = io.store.read(path);
  if (bytes === undefined) {
    throw new TouchlineError("IMPORT_FILE_MISSING", `There is no file ${path}.`);
  }
  const name = path.split(/[/\\]/).at(-1) ?? path;
  return { name, lines: () => linesOf(io, bytes, { keepsTail: true }) };
}

function marketOf(marketId: MarketId, symbol: string, options: ImportOptions): RecordingMarket {
  const { fees } = options;
  return {
    marketId,
    symbol,
    grid: options.isFolded === true ? "venue" : "native",
    ...(fees === undefined ? {} : { makerFee: fees.maker, takerFee: fees.taker }),
  };
}
