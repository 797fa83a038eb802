import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { counted } from "../base/counted.ts";
import { CandleLengths } from "./candle-lengths.ts";
import { type DefectCounts, defectNames } from "./defect.ts";
import { DefectList, type PlacedDefect } from "./defect-list.ts";
import { importFormats } from "./formats.ts";
import type { ImportFormat, NameOf, SourceFile } from "./formats/import-format.ts";
import { ImportedMarket } from "./imported-market.ts";
import { candlesHaveNoBook, type Manifest, type RecordingMarket } from "./manifest.ts";
import { nameMarket } from "./market-name.ts";
import { mergeByTime } from "./merge-by-time.ts";
import { newRecording } from "./new-recording.ts";
import { linesOf, noProgress, type ReadProgress, type RecordingIo } from "./recording-io.ts";
import { type SourcedAt, withClock } from "./source-clock.ts";
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
  /** Names of the columns of CSV files that have no header. */
  readonly columns?: readonly string[];
}

/** Result of an import. */
export interface ImportSummary {
  readonly markets: readonly RecordingMarket[];
  readonly events: number;
  /** First and last time of receipt, in ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The first defects found in the sources, with their locations; also stored with the recording. */
  readonly defects: readonly PlacedDefect[];
  readonly defectCounts: DefectCounts;
  readonly defectsOmitted: number;
  /** How many of the gaps are places where trades went on for more than 10 s without depth, in a source without update ids. */
  readonly silences: number;
  /** Sentences to show to the user. */
  readonly warnings: readonly string[];
}

/** An import that keeps almost nothing of what it read, with the defects that are the reason. */
export class ImportRefused extends TouchlineError {
  readonly defects: DefectList;

  constructor(message: string, hint: string, defects: DefectList) {
    super("IMPORT_KEEPS_NOTHING", message, { hint });
    this.defects = defects;
  }
}

/** An import that keeps fewer of a market's rows of one kind fails. */
const KEPT_SHARE_MIN = 0.2;

interface OpenFile extends SourceFile {
  readonly progress: ReadProgress;
}

/**
 * Imports recordings of another format: merges all files by time of receipt, names the markets, and keeps or folds prices. The
 * folder appears only when it is complete, so a failed import can simply be repeated.
 * Throws TouchlineError `CANDLES_HAVE_NO_BOOK`, `IMPORT_FORMAT_UNKNOWN`, `IMPORT_FILE_MISSING`, `IMPORT_FILES`, `IMPORT_BROKEN`, `IMPORT_EMPTY`,
 * `IMPORT_KEEPS_NOTHING`, `MARKET_NAME_UNKNOWN`, `RECORDING_EXISTS` or `FOLDER_TAKEN`.
 */
export function importRecording(io: RecordingIo, options: ImportOptions): ImportSummary {
  return runAll(importSteps(io, options));
}

/** `importRecording` in steps. */
export function* importSteps(io: RecordingIo, options: ImportOptions): Steps<ImportSummary> {
  const format = formatNamed(options.format);
  const files = options.files.map((path) => openSource(io, path, options.columns));
  assertFileCount(format, files);
  if (format.hasCandles === true && options.isFolded === true) throw candlesHaveNoBook("A fold");
  const ids = options.hasSparseDepth === true ? "sparse" : "made";
  const defects = new DefectList();
  const markets = new ImportedMarkets(options, format.makesIds === true ? ids : undefined, defects);
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
      const other = market.otherKind(placed);
      if (other !== undefined) throw mixedKinds(placed, other);
      for (const written of market.take(placed)) {
        out.writer.append(written);
        summary.events += 1;
        summary.fromUs = Math.min(summary.fromUs, written.atUs);
        summary.toUs = Math.max(summary.toUs, written.atUs);
      }
      count += 1;
      if (count % EVENTS_PER_STEP === 0) yield shareOf(files, isFolded ? 0.5 : 0);
    }
    markets.end();
    assertKept(markets, defects);
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
    warnings: markets.warnings,
  };
}

/** Throws ImportRefused where almost all rows of a market are left out. */
function assertKept(markets: ImportedMarkets, defects: DefectList): void {
  for (const { described, rows } of markets.all) {
    for (const [kind, { read, kept }] of Object.entries(rows)) {
      if (kept >= KEPT_SHARE_MIN * read) continue;
      const counts = defectNames.flatMap((name) => {
        const count = defects.countsOf(described.marketId)[name];
        return count === 0 ? [] : `${name}: ${count}`;
      });
      throw new ImportRefused(
        `Only ${kept} of ${counted(read, `${kind} row`)} of ${described.marketId} can be used (${counts.join(", ")}).`,
        "The first defects are listed above; correct the file, or state what it is with another format or --columns.",
        defects,
      );
    }
  }
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

function mixedKinds({ event, file, kind }: SourcedAt, other: string): TouchlineError {
  return new TouchlineError(
    "IMPORT_FILES",
    `${file} has ${kind} of ${event.marketId}, and another file has ${other}, which tell the same.`,
    { hint: "Import only one of the two." },
  );
}

function emptyImport(format: string): TouchlineError {
  return new TouchlineError(
    "IMPORT_EMPTY",
    "The files have no rows of the wanted markets: no depth, book, trade or candle.",
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
  readonly #ids: RecordingMarket["ids"];
  readonly #defects: DefectList;
  readonly #named = new Map<string, MarketId>();
  readonly #wanted = new Map<MarketId, ImportedMarket>();

  constructor(options: ImportOptions, ids: RecordingMarket["ids"], defects: DefectList) {
    this.#options = options;
    this.#ids = ids;
    this.#defects = defects;
  }

  /** The imported markets, with tick and lot if the events determine them. */
  get list(): RecordingMarket[] {
    return [...this.#wanted.values()].map((market) => market.described);
  }

  get silences(): number {
    return [...this.#wanted.values()].reduce((sum, { silences }) => sum + silences, 0);
  }

  get all(): Iterable<ImportedMarket> {
    return this.#wanted.values();
  }

  get warnings(): readonly string[] {
    return [...this.#wanted.values()].flatMap(({ crossings }) => crossings.warning ?? []);
  }

  end(): void {
    for (const market of this.#wanted.values()) market.end();
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
        ...(this.#ids === undefined ? {} : { ids: this.#ids }),
        grid: isFolded === true ? "venue" : "native",
        ...(fees === undefined ? {} : { makerFee: fees.maker, takerFee: fees.taker }),
      };
      this.#wanted.set(marketId, new ImportedMarket(market, this.#defects));
    }
    return marketId;
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

/** The events of one file. Where its beginning cannot be read, the error says what else the file may be. */
function* placedEvents(format: ImportFormat, file: OpenFile, nameOf: NameOf): Generator<SourcedAt> {
  let isBegun = false;
  try {
    for (const placed of withClock(file, format.read(file, nameOf))) {
      isBegun = true;
      yield placed;
    }
  } catch (thrown) {
    const isBroken = thrown instanceof TouchlineError && thrown.code === "IMPORT_BROKEN";
    if (isBegun || !isBroken || thrown.hint !== undefined) throw thrown;
    throw new TouchlineError(thrown.code, thrown.message, { hint: formatHint(format, file) });
  }
}

function formatHint(format: ImportFormat, file: OpenFile): string {
  const first = firstLine(file.lines());
  const fitting = importFormats.find((each) => each.recognizes(file.path, first));
  if (fitting === format || fitting === undefined) return `Formats: ${formatNames()}.`;
  return `It looks like a file of the format ${fitting.name}: \`touchline import ${fitting.name} …\`. Formats: ${formatNames()}.`;
}

/** The first line that is not empty. */
function firstLine(lines: Iterable<string>): string {
  for (const line of lines) if (line.trim() !== "") return line;
  return "";
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
  throw new TouchlineError("IMPORT_FORMAT_UNKNOWN", `There is no import format ${name}.`, {
    hint: `Formats: ${formatNames()}.`,
  });
}

function formatNames(): string {
  return importFormats.map((each) => each.name).join(", ");
}

function openSource(io: RecordingIo, path: string, columns: OpenFile["columns"]): OpenFile {
  const file = io.store.openRead(path);
  if (file === undefined) {
    throw new TouchlineError("IMPORT_FILE_MISSING", `There is no file ${path}.`);
  }
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const progress = noProgress();
  try {
    const inside = unpacking(name, () => io.compression.nameInside(file));
    return {
      name,
      path: inside === undefined ? path : `${path}/${inside}`,
      columns,
      progress,
      lines: () => unpackedLines(io, path, name, progress),
    };
  } finally {
    file.close();
  }
}

/** The lines of a file that has some. Throws TouchlineError `IMPORT_BROKEN` when it is empty, or packed and damaged. */
function* unpackedLines(
  io: RecordingIo,
  path: string,
  name: string,
  progress: ReadProgress,
): Generator<string> {
  const file = io.store.openRead(path);
  if (file === undefined)
    throw new TouchlineError("IMPORT_FILE_MISSING", `${path} was removed while it was read.`);
  const lines = linesOf(io, file, { keepsTail: true, progress });
  let isEmpty = true;
  for (;;) {
    const next = unpacking(name, () => lines.next());
    if (next.done === true) break;
    isEmpty &&= next.value.trim() === "";
    yield next.value;
  }
  if (!isEmpty) return;
  throw new TouchlineError("IMPORT_BROKEN", `${name} is empty.`, {
    hint: "Download or copy it again, or leave it out.",
  });
}

function unpacking<Result>(name: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    const problem = cause instanceof Error ? `: ${cause.message}` : "";
    throw new TouchlineError("IMPORT_BROKEN", `${name} cannot be unpacked${problem}.`, {
      hint: "Is the file complete? Download or copy it again.",
      cause,
    });
  }
}
