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
  const markets = new ImportedMarkets(options, silenceIsGap);
  const defects = new DefectList();
  const inspectors = new SourceInspectors(defects, silenceIsGap);
  const read = function* (): Generator<SourcedAt> {
    const nameOf = (symbol: string): MarketId => markets.nameOf(symbol);
    for (const placed of mergeByTime(files.map((file) => placedEvents(format, file, nameOf)))) {
      if (markets.isWanted(placed.event.marketId)) yield placed;
    }
  };
  const summary = { events: 0, fromUs: Number.POSITIVE_INFINITY, toUs: 0 };
  const out = newRecording(io, options.out);
  try {
    const folds = options.isFolded === true ? yield* foldsOf(read(), files) : undefined;
    const lengths = new CandleLengths();
    let count = 0;
    for (const placed of read()) {
      const { event } = placed;
      const mixed = lengths.take(event);
      if (mixed !== undefined) throw mixedLengths(placed, mixed);
      const isPlayed = inspectors.take(placed);
      if (folds === undefined) markets.noteGrid(event);
      for (const written of folds === undefined ? [event] : folds.take(event)) {
        out.writer.append(written);
        summary.events += 1;
        if (!isPlayed) continue;
        summary.fromUs = Math.min(summary.fromUs, written.atUs);
        summary.toUs = Math.max(summary.toUs, written.atUs);
      }
      count += 1;
      if (count % EVENTS_PER_STEP === 0) yield shareOf(files, folds === undefined ? 0 : 0.5);
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
    silences: inspectors.silences,
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
  readonly #named = new Map<string, MarketId>();
  readonly #wanted = new Map<MarketId, RecordingMarket>();
  readonly #grids = new Map<MarketId, NativeGrid>();

  constructor(options: ImportOptions, silenceIsGap: boolean) {
    this.#options = options;
    this.#silenceIsGap = silenceIsGap;
  }

  /** The imported markets, with tick and lot if the events determine them. */
  get list(): RecordingMarket[] {
    return [...this.#wanted].map(([marketId, market]) => {
      const rules = this.#grids.get(marketId)?.rules;
      return rules === undefined ? market : { ...market, rules };
    });
  }

  /** Takes an event with unfolded prices, to infer tick and lot. */
  noteGrid(event: RecordedEvent): void {
    let grid = this.#grids.get(event.marketId);
    if (grid === undefined) {
      grid = new NativeGrid();
      this.#grids.set(event.marketId, grid);
    }
    grid.take(event);
  }

  isWanted(marketId: MarketId): boolean {
    return this.#wanted.has(marketId);
  }

  nameOf(symbol: string): MarketId {
    const known = this.#named.get(symbol);
    if (known !== undefined) return known;
    const { names, symbols, fees, isFolded } = this.#options;
    const marketId = nameMarket(symbol, names ?? new Map<string, string>());
    this.#named.set(symbol, marketId);
    if (symbols === undefined || symbols.has(symbol)) {
      this.#wanted.set(marketId, {
        marketId,
        symbol,
        ...(this.#silenceIsGap ? { ids: "made" as const } : {}),
        grid: isFolded === true ? "venue" : "native",
        ...(fees === undefined ? {} : { makerFee: fees.maker, takerFee: fees.taker }),
      });
    }
    return marketId;
  }
}

class SourceInspectors {
  readonly #defects: DefectList;
  readonly #silenceIsGap: boolean;
  readonly #byMarket = new Map<MarketId, SourceInspector>();

  constructor(defects: DefectList, silenceIsGap: boolean) {
    this.#defects = defects;
    this.#silenceIsGap = silenceIsGap;
  }

  get silences(): number {
    return [...this.#byMarket.values()].reduce((sum, { silences }) => sum + silences, 0);
  }

  /** False for an event that is left out for a jump in time. */
  take(placed: SourcedAt): boolean {
    const { marketId } = placed.event;
    let inspector = this.#byMarket.get(marketId);
    if (inspector === undefined) {
      inspector = new SourceInspector(this.#defects, this.#silenceIsGap);
      this.#byMarket.set(marketId, inspector);
    }
    return inspector.take(placed);
  }
}

/** Finds the defects of one market's source events and locates them in the source files. */
class SourceInspector {
  readonly #defects: DefectList;
  readonly #inspector: MarketInspector;
  #placed: SourcedAt | undefined;
  /** Bad rows of the current event that were already reported. */
  #badRows = 0;
  /** Whether the current event is left out for a jump in time. */
  #isJump = false;

  constructor(defects: DefectList, silenceIsGap: boolean) {
    this.#defects = defects;
    this.#inspector = new MarketInspector(silenceIsGap, (defect) => this.#onDefect(defect));
  }

  get silences(): number {
    return this.#inspector.silences;
  }

  take(placed: SourcedAt): boolean {
    this.#placed = placed;
    this.#badRows = 0;
    this.#isJump = false;
    this.#inspector.take(placed.event);
    return !this.#isJump;
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

class Folds {
  readonly #snapshotIds = new Map<MarketId, number[]>();
  readonly #folds = new Map<MarketId, Fold>();

  noteSnapshot({ event }: SourcedAt): void {
    if (event.type !== "book") return;
    const known = this.#snapshotIds.get(event.marketId) ?? [];
    known.push(event.lastId);
    this.#snapshotIds.set(event.marketId, known);
  }

  take(event: SourcedAt["event"]) {
    let fold = this.#folds.get(event.marketId);
    if (fold === undefined) {
      fold = new Fold(event.marketId, this.#snapshotIds.get(event.marketId) ?? []);
      this.#folds.set(event.marketId, fold);
    }
    return fold.take(event);
  }
}

/** First pass of a folded import: collects the snapshot ids, so that no market waits for a snapshot that never comes. */
function* foldsOf(events: Iterable<SourcedAt>, files: readonly OpenFile[]): Steps<Folds> {
  const folds = new Folds();
  let count = 0;
  for (const placed of events) {
    folds.noteSnapshot(placed);
    count += 1;
    if (count % EVENTS_PER_STEP === 0) yield shareOf(files, 0) / 2;
  }
  return folds;
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
