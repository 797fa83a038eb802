import { TouchlineError } from "../base/error.ts";
import type { EncodeParquet } from "../ports/parquet.ts";
import type { Replacement, Store } from "../ports/store.ts";
import { replayColumns, replayTables, type TableRows } from "./replay-tables.ts";
import type { ResultDocument } from "./result-document.ts";
import { parquetTable, writeCsv } from "./table-files.ts";

/** Ports that writing a result needs. */
export interface ResultIo {
  readonly store: Store;
  readonly encodeParquet: EncodeParquet;
}

/** Everything that a result's folder gets. */
export interface ResultFiles {
  /** Content of `result.json`. */
  readonly document: ResultDocument;
  readonly tables: TableRows;
  /** Texts of the reports, by file name. */
  readonly reports: ReadonlyMap<string, string>;
}

const encoder = new TextEncoder();
const RESULT_FILE = "result.json";
const resultFiles: readonly string[] = [
  RESULT_FILE,
  "report.html",
  "report.md",
  ...replayTables.flatMap((table) => [`${table}.csv`, `${table}.parquet`]),
];

/**
 * Throws TouchlineError `OUT_NOT_EMPTY` when the folder has a file that is not one of an earlier result. Call it before the work
 * whose result goes there.
 */
export function checkResultFolder({ store }: Pick<ResultIo, "store">, folder: string): void {
  const strange = store.list(folder).find((name) => !resultFiles.includes(name));
  const isOurs = strange === undefined || isResult(store.read(`${folder}/${RESULT_FILE}`));
  if (isOurs) return;
  throw new TouchlineError(
    "OUT_NOT_EMPTY",
    `${folder} is not empty and holds no result of a replay (${strange}, for instance).`,
    { hint: "Name a new folder, or one of an earlier result, which is replaced." },
  );
}

/**
 * Writes a result into a folder, in place of an earlier one; other files there stay. New files and folders are for their owner only.
 * The files take their names when all of them are on disk, `result.json` last: a failure before leaves the earlier result whole, and a
 * folder whose `result.json` is not empty is complete. Throws TouchlineError `WRITE_FAILED`.
 */
export function writeResult(io: ResultIo, folder: string, files: ResultFiles): void {
  checkResultFolder(io, folder);
  const parts: Replacement[] = [];
  const open = (name: string): Replacement => {
    const file = io.store.openReplacement(`${folder}/${name}`);
    parts.push(file);
    return file;
  };
  try {
    for (const table of replayTables) {
      const columns = replayColumns[table];
      const rows = files.tables[table];
      writeCsv(open(`${table}.csv`), columns, rows);
      open(`${table}.parquet`).append(parquetTable(io.encodeParquet, columns, rows));
    }
    for (const [name, text] of files.reports) open(name).append(encoder.encode(text));
    const document = `${JSON.stringify(files.document, undefined, 2)}\n`;
    open(RESULT_FILE).append(encoder.encode(document));
    writeText(io, `${folder}/${RESULT_FILE}`, "");
    for (const part of parts) part.commit();
  } finally {
    for (const part of parts) part.discard();
  }
}

/**
 * Writes a text file in place of an earlier one, of which readers see all or nothing; a new one is for its owner only. Throws
 * TouchlineError `WRITE_FAILED`, for a folder for instance.
 */
export function writeText({ store }: Pick<ResultIo, "store">, path: string, text: string): void {
  const file = store.openReplacement(path);
  try {
    file.append(encoder.encode(text));
    file.commit();
  } finally {
    file.discard();
  }
}

function isResult(bytes: Uint8Array | undefined): boolean {
  if (bytes === undefined) return false;
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof read === "object" && read !== null && Reflect.get(read, "event") === "result";
  } catch {
    return false;
  }
}
