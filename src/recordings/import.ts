import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { CandleLengths } from "./candle-lengths.ts";
import type { Defect, DefectCounts } from "./defect.ts";
import { DefectList, type PlacedDefect } from "./defect-list.ts";
import { Fold } from "./fold.ts";
import { importFormats } from "./formats.ts";
import type { ImportFormat, SourcedEvent, SourceFile } from "./formats/import-format.ts";
import { candlesHaveNoBook, type Manifest, type RecordingMarket } from "./manifest.ts";
import { MarketInspector } from "./market-inspector.ts";
import { nameMarket } from "./market-name.ts";
import { NativeGrid } from "./native-grid.ts";
import { mergeByTime } from "./merge-by-time.ts";
import { newRecording } from "./new-recording.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { linesOf, type ReadProgress, type RecordingIo } from "./recording-io.ts";
import { EVENTS_PER_STEP, runAll, type Steps } from "./steps.ts";

export interface ImportOptions {
  /** Name of one of `importFormats`. */
  readonly format: string;
  /** Source files. A file that continues another is simply listed as well. */
  readonly files: readonly string[];
  /** Folder to create. */
  readonly out: string;
  /** User-defined names: symbol in capitals to `BASE_QUOTE`. */
  readonly names?: ReadonlyMap<string, string>;
  /** Import only these symbols (in capitals); all when absent. */
  readonly symbols?: ReadonlySet<string>;
  /** Fold prices onto the venue's grid (§4.5) instead of keeping them as recorded. */
  readonly isFolded?: boolean;
  /** The source's depth is sparse by nature, so that trades without depth show no gap. Of use only where the source has no update ids. */
  readonly hasSparseDepth?: boolean;
  /** Fees as fractions of the received token, stored for replays. */
  readonly fees?: { readonly maker: string; readonly taker: string };
  /** Provenance and licence, stored with the recording. */
  readonly notice?: string;
}

/** Result of an import. */
export interface ImportSummary {
  readonly markets: readonly RecordingMarket[];
  readonly events: number;
  /** First and last time of receipt, in ms, without the events that are left out for a jump in time. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The first defects found in the sources, with their locations; also stored with the recording. */
  readonly defects: readonly PlacedDefect[];
  readonly defectCounts: DefectCounts;
  readonly defectsOmitted: number;
  /** How many of the gaps are places where trades went on for more than 10 s without depth, in a source without update ids. */
  readonly silences: number;
}

interface OpenFile extends SourceFile {
  readonly progress: ReadProgress;
}

/** An event with its source file and time of receipt. */
interface SourcedAt extends SourcedEvent {
  readonly atUs: number;
  readonly file: string;
}

/**
 * Imports recordings of another format: merges all files by time of receipt, names the markets, and keeps or folds prices. The
 * folder appears only when it is complete, so a failed import can simply be repeated.
 * Throws TouchlineError `CANDLES_HAVE_NO_BOOK`, `IMPORT_FORMAT_UNKNOWN`, `IMPORT_FILE_MISSING`, `IMPORT_FILES`, `IMPORT_BROKEN`, `IMPORT_EMPTY`,
 * `MARKET_NAME_UNKNOWN`, `RECORDING_EXISTS` or `FOLDER_TAKEN`.
 */
export function importRecording(io: RecordingIo, options: ImportOptions): ImportSummary {
  return runAll(importSteps(io, options));
}

/** `importRecording` in steps. */
export function* importSteps(io: RecordingIo, options: ImportOptions): Steps<ImportSummary> {
  const format = formatNamed(options.format);
  const files = options.files.map((path) => openSource(io, path));
  assertFileCount(format, files);
  if (format.hasCandles === true && options.isFolded === true) throw candlesHaveNoBook("A fold");
  const silenceIsGap = format.makesIds === true && options.hasSparseDepth !== true;
  const defects = new DefectList();
  const markets = new ImportedMarkets(options, silenceIsGap, defects);
  const read = function* (): Generator<readonly [SourcedAt, ImportedMarket]> {
    const nameOf = (symbol: string): MarketId => markets.nameOf(symbol);
    for (const placed of mergeByTime(files.map((file) => placedEvents(format, file, nameOf)))) {
      const market = markets.find(placed.event.marketId);
      if (market !== undefined) yield [placed, market];
    }
  };
  const summary = { events: 0, fromUs: Number.POSITIVE_INFINITY, toUs: 0 };
  const out = newRecording(io, options.out);
  try {
    const isFolded = options.isFolded === true;
    if (isFolded) yield* readSnapshotIds(read(), files);
    const lengths = new CandleLengths();
    let count = 0;
    for (const [placed, market] of read()) {
      const mixed = lengths.take(placed.event);
      if (mixed !== undefined) throw mixedLengths(placed, mixed);
      const isPlayed = market.inspect(placed);
      for (const written of market.written(placed.event)) {
        out.writer.append(written);
        summary.events += 1;
        if (!isPlayed) continue;
        summary.fromUs = Math.min(summary.fromUs, written.atUs);
        summary.toUs = Math.max(summary.toUs, written.atUs);
      }
      count += 1;
      if (count % EVENTS_PER_STEP === 0) yield shareOf(files, isFolded ? 0.5 : 0);
    }
    if (summary.events === 0) throw emptyImport(options.format);
    out.writer.close();
    defects.write(io, out.folder);
    out.finish(importManifest(format, files, markets, options.notice));
  } catch (thrown) {
    out.discard();
    throw thrown;
  }
  return {
    markets: markets.list,
    events: summary.events,
    fromMs: summary.fromUs / 1000,
    toMs: summary.toUs / 1000,
    defects: defects.defects,
    defectCounts: defects.counts,
    defectsOmitted: defects.omitted,
    silences: markets.silences,
  };
}

/** Throws TouchlineError `IMPORT_FILES` when the format cannot merge several files. */
function assertFileCount(format: ImportFormat, files: readonly OpenFile[]): void {
  if (format.isOneFile !== true || files.length <= 1) return;
  throw new TouchlineError("IMPORT_FILES", `${format.name} takes one file, not ${files.length}.`, {
    hint: "Import each file into a folder of its own, then combine them with `recording merge`.",
  });
}

function mixedLengths({ event, file }: SourcedAt, mixed: string): TouchlineError {
  return new TouchlineError(
    "IMPORT_FILES",
    `The files have candles of ${mixed} of ${event.marketId} (${file}); a recording has one length.`,
    { hint: "Import the files of each length into a folder of their own." },
  );
}

function emptyImport(format: string): TouchlineError {
  return new TouchlineError(
    "IMPORT_EMPTY",
    "The files hold no depth, book, trade or candle of the wanted markets.",
    { context: { format } },
  );
}

function importManifest(
  format: ImportFormat,
  files: readonly OpenFile[],
  markets: ImportedMarkets,
  notice: string | undefined,
): Manifest {
  return {
    format: "touchline-recording",
    version: 1,
    ...(format.hasCandles === true ? { content: "candles" } : {}),
    markets: markets.list,
    source: `${format.name}: ${files.map((file) => file.name).join(", ")}`,
    ...(notice === undefined ? {} : { notice }),
  };
}

/** Names of all symbols in the files, and the markets among them that are imported. */
class ImportedMarkets {
  readonly #options: ImportOptions;
  readonly #silenceIsGap: boolean;
  readonly #defects: DefectList;
  readonly #named = new Map<string, MarketId>();
  readonly #wanted = new Map<MarketId, ImportedMarket>();

  constructor(options: ImportOptions, silenceIsGap: boolean, defects: DefectList) {
    this.#options = options;
    this.#silenceIsGap = silenceIsGap;
    this.#defects = defects;
  }

  /** The imported markets, with tick and lot if the events determine them. */
  get list(): RecordingMarket[] {
    return [...this.#wanted.values()].map((market) => market.described);
  }

  get silences(): number {
    return [...this.#wanted.values()].reduce((sum, { silences }) => sum + silences, 0);
  }

  /** Undefined for a market that is not imported. */
  find(marketId: MarketId): ImportedMarket | undefined {
    return this.#wanted.get(marketId);
  }

  nameOf(symbol: string): MarketId {
    const known = this.#named.get(symbol);
    if (known !== undefined) return known;
    const { names, symbols, fees, isFolded } = this.#options;
    const marketId = nameMarket(symbol, names ?? new Map<string, string>());
    this.#named.set(symbol, marketId);
    if (symbols === undefined || symbols.has(symbol)) {
      const market: RecordingMarket = {
        marketId,
        symbol,
        ...(this.#silenceIsGap ? { ids: "made" as const } : {}),
        grid: isFolded === true ? "venue" : "native",
        ...(fees === undefined ? {} : { makerFee: fees.maker, takerFee: fees.taker }),
      };
      this.#wanted.set(marketId, new ImportedMarket(market, this.#defects));
    }
    return marketId;
  }
}

/** One imported market: finds the defects of its source events, and folds its prices or infers their grid. */
class ImportedMarket {
  readonly #market: RecordingMarket;
  readonly #defects: DefectList;
  readonly #inspector: MarketInspector;
  readonly #grid = new NativeGrid();
  readonly #snapshotIds: number[] = [];
  #fold: Fold | undefined;
  #placed: SourcedAt | undefined;
  /** Bad rows of the current event that were already reported. */
  #badRows = 0;
  /** Whether the current event is left out for a jump in time. */
  #isJump = false;

  constructor(market: RecordingMarket, defects: DefectList) {
    this.#market = market;
    this.#defects = defects;
    this.#inspector = new MarketInspector(market.ids === "made", (defect) =>
      this.#onDefect(defect),
    );
  }

  get described(): RecordingMarket {
    const { rules } = this.#grid;
    return rules === undefined ? this.#market : { ...this.#market, rules };
  }

  get silences(): number {
    return this.#inspector.silences;
  }

  /** The first pass of a folded import. */
  noteSnapshot({ event }: SourcedAt): void {
    if (event.type === "book") this.#snapshotIds.push(event.lastId);
  }

  /** False for an event that is left out for a jump in time. */
  inspect(placed: SourcedAt): boolean {
    this.#placed = placed;
    this.#badRows = 0;
    this.#isJump = false;
    this.#inspector.take(placed.event);
    return !this.#isJump;
  }

  /** What the recording gets for an event. */
  written(event: SourcedAt["event"]): readonly RecordedEvent[] {
    if (this.#market.grid === "native") {
      this.#grid.take(event);
      return [event];
    }
    this.#fold ??= new Fold(event.marketId, this.#snapshotIds);
    return this.#fold.take(event);
  }

  #onDefect({ what, detail, level, event }: Defect): void {
    const { file = "", line = 0, levelLines, badTimeLines } = this.#placed ?? {};
    let at = level === undefined ? undefined : levelLines?.[level];
    if (what === "timeJumps") this.#isJump = true;
    if (what === "badTimes") {
      at = badTimeLines?.[this.#badRows];
      this.#badRows += 1;
    }
    this.#defects.add({ what, market: event.marketId, file, line: at ?? line, detail });
  }
}

/** First pass of a folded import: collects the snapshot ids, so that no market waits for a snapshot that never comes. */
function* readSnapshotIds(
  events: Iterable<readonly [SourcedAt, ImportedMarket]>,
  files: readonly OpenFile[],
): Steps<void> {
  let count = 0;
  for (const [placed, market] of events) {
    market.noteSnapshot(placed);
    count += 1;
    if (count % EVENTS_PER_STEP === 0) yield shareOf(files, 0) / 2;
  }
}

function* placedEvents(
  format: ImportFormat,
  file: OpenFile,
  nameOf: (symbol: string) => MarketId,
): Generator<SourcedAt> {
  for (const sourced of format.read(file, nameOf)) {
    yield { ...sourced, atUs: sourced.event.atUs, file: file.name };
  }
}

/** Share of the files read so far, from `done` up to 1. */
function shareOf(files: readonly OpenFile[], done: number): number {
  let read = 0;
  let total = 1;
  for (const { progress } of files) {
    read += progress.read;
    total += progress.total;
  }
  return done + (1 - done) * (read / total);
}

function formatNamed(name: string): ImportFormat {
  const format = importFormats.find((known) => known.name === name);
  if (format !== undefined) return format;
  const known = importFormats.map((each) => each.name).join(", ");
  throw new TouchlineError("IMPORT_FORMAT_UNKNOWN", `There is no import format ${name}.`, {
    hint: `Formats: ${known}.`,
  });
}

function openSource(io: RecordingIo, path: string): OpenFile {
  const bytes = io.store.read(path);
  if (bytes === undefined) {
    throw new TouchlineError("IMPORT_FILE_MISSING", `There is no file ${path}.`);
  }
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const progress = { read: 0, total: 0 };
  return { name, progress, lines: () => unpackedLines(io, name, bytes, progress) };
}

/** Throws TouchlineError `IMPORT_BROKEN` when a packed file is damaged. */
function* unpackedLines(
  io: RecordingIo,
  name: string,
  bytes: Uint8Array,
  progress: ReadProgress,
): Generator<string> {
  try {
    yield* linesOf(io, bytes, { keepsTail: true, progress });
  } catch (cause) {
    const problem = cause instanceof Error ? `: ${cause.message}` : "";
    throw new TouchlineError("IMPORT_BROKEN", `${name} cannot be unpacked${problem}.`, {
      hint: "Is the file complete? Download or copy it again.",
      cause,
    });
  }
}
