import type { OpenParquet, ParquetRows, ParquetSchema, ParquetValues } from "../ports/parquet.ts";
import type { ColumnBlock } from "./columns/column-block.ts";
import { openAllCompiled, type Say } from "./columns/compiled-recording.ts";
import { eventKind } from "./columns/event-kind.ts";
import type { MarketColumns } from "./columns/market-columns.ts";
import { type ExportedFile, type NewExportFile, plainSymbol, exportInto } from "./export-file.ts";
import { candlesHaveNoBook, hasCandles } from "./manifest.ts";
import type { Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import type { Steps } from "./steps.ts";

/** Rows of a row group. */
const GROUP_ROWS = 100_000;

const common = { event: "integer", received: "micros", time: "micros" } as const;
const level = { side: "text", price: "double", quantity: "double" } as const;

/** The tables of a market and their columns (docs/research.md). */
const recordingTables = {
  trades: {
    ...common,
    tradeId: "text",
    ...level,
    buyOrderId: "text",
    sellOrderId: "text",
  },
  depth: { ...common, firstId: "integer", finalId: "integer", ...level },
  books: { ...common, lastId: "integer", ...level },
} as const satisfies Record<string, ParquetSchema>;

export interface ParquetExport {
  readonly openParquet: OpenParquet;
  /** Output folder; it must not contain any of the files yet. */
  readonly out: string;
  readonly say: Say;
}

/**
 * Writes `trades_SYMBOL.parquet`, `depth_SYMBOL.parquet` and `books_SYMBOL.parquet` for each market. Throws TouchlineError
 * `FILE_EXISTS`.
 */
export function* exportParquet(
  io: RecordingIo,
  recording: Recording,
  { openParquet, out, say }: ParquetExport,
): Steps<readonly ExportedFile[]> {
  if (hasCandles(recording.manifest)) throw candlesHaveNoBook("An export to Parquet");
  return yield* exportInto(io, out, function* (files) {
    const exports = recording.manifest.markets.map(({ marketId, symbol }) => {
      const table = (name: keyof typeof recordingTables): TableFile => {
        const file = files.open(`${name}_${plainSymbol(symbol)}.parquet`);
        return new TableFile(file, recordingTables[name], openParquet);
      };
      const tables = { trades: table("trades"), depth: table("depth"), books: table("books") };
      return { marketId, tables };
    });
    const compiled = yield* openAllCompiled(recording, say);
    try {
      for (const [at, { marketId, tables }] of exports.entries()) {
        const columns = compiled.market(marketId);
        if (columns !== undefined) writeMarket(columns, tables);
        yield (at + 1) / exports.length;
      }
    } finally {
      compiled.close();
    }
    return exports.flatMap(({ tables }) => Object.values(tables).map((table) => table.finish()));
  });
}

type Tables = Readonly<Record<keyof typeof recordingTables, TableFile>>;

function writeMarket(columns: MarketColumns, { trades, depth, books }: Tables): void {
  let event = 0;
  for (const block of columns.blocks()) {
    for (let at = 0; at < block.count; at += 1) {
      const kind = block.kinds[at];
      if (kind === eventKind.gap || kind === eventKind.emptyBook) continue;
      const head = [event, wholeUs(block.atMs[at]), wholeUs(block.timeMs[at])];
      event += 1;
      const finalId = block.finalId[at] ?? 0;
      if (kind === eventKind.depth) {
        addLevels(depth, [...head, block.firstId[at] ?? 0, finalId], block, at);
      } else if (kind === eventKind.book) addLevels(books, [...head, finalId], block, at);
      else {
        const from = block.levelFrom[at] ?? 0;
        const ids = block.orderIds(at);
        // The side of the taker.
        const side = block.isBuyerMaker[at] === 1 ? "sell" : "buy";
        const [price, quantity] = [block.price(from), block.quantity(from)];
        const orders = [ids?.buy ?? null, ids?.sell ?? null];
        trades.add([...head, block.tradeId(at), side, price, quantity, ...orders]);
      }
    }
  }
}

function addLevels(
  table: TableFile,
  head: readonly number[],
  block: ColumnBlock,
  event: number,
): void {
  const asksFrom = block.asksFrom[event] ?? 0;
  const end = block.levelFrom[event + 1] ?? 0;
  for (let at = block.levelFrom[event] ?? 0; at < end; at += 1) {
    const side = at < asksFrom ? "bid" : "ask";
    table.add([...head, side, block.price(at), block.quantity(at)]);
  }
}

/** A table that is written in row groups. */
class TableFile {
  readonly #file: NewExportFile;
  readonly #parquet: ParquetRows;
  readonly #types: readonly ParquetSchema[string][];
  #columns: ParquetValues[number][][];
  #rows = 0;

  constructor(file: NewExportFile, schema: ParquetSchema, openParquet: OpenParquet) {
    this.#file = file;
    this.#parquet = openParquet(schema, (bytes) => this.#file.append(bytes));
    this.#types = Object.values(schema);
    this.#columns = this.#types.map(() => []);
  }

  /** A row, in the order of the columns. */
  add(row: ParquetValues): void {
    for (const [at, column] of this.#columns.entries()) {
      const value = row[at] ?? null;
      // Ids of a damaged source may be no whole numbers.
      const isLost = this.#types[at] === "integer" && !Number.isSafeInteger(value);
      column.push(isLost ? null : value);
    }
    this.#rows += 1;
    if (this.#rows % GROUP_ROWS === 0) this.#flush();
  }

  finish(): ExportedFile {
    this.#flush();
    this.#parquet.finish();
    return { path: this.#file.path, rows: this.#rows };
  }

  #flush(): void {
    this.#parquet.write(this.#columns);
    this.#columns = this.#types.map(() => []);
  }
}

function wholeUs(timeMs: number | undefined): number {
  return Math.round((timeMs ?? 0) * 1000);
}
