import { TouchlineError } from "../base/error.ts";
import type { EncodeParquet } from "../ports/parquet.ts";
import type { Store } from "../ports/store.ts";
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
 * `result.json` comes last, so that a folder with it is complete.
 */
export function writeResult(io: ResultIo, folder: string, files: ResultFiles): void {
  checkResultFolder(io, folder);
  writeText(io, `${folder}/${RESULT_FILE}`, "");
  for (const table of replayTables) {
    const columns = replayColumns[table];
    const rows = files.tables[table];
    withFile(io, `${folder}/${table}.csv`, (file) => writeCsv(file, columns, rows));
    const bytes = parquetTable(io.encodeParquet, columns, rows);
    withFile(io, `${folder}/${table}.parquet`, (file) => file.append(bytes));
  }
  for (const [name, text] of files.reports) writeText(io, `${folder}/${name}`, text);
  writeText(io, `${folder}/${RESULT_FILE}`, `${JSON.stringify(files.document, undefined, 2)}\n`);
}

/** Writes a text file over an earlier one; a new one is for its owner only. Throws the system's error, for a folder for instance. */
export function writeText(io: Pick<ResultIo, "store">, path: string, text: string): void {
  withFile(io, path, (file) => file.append(new TextEncoder().encode(text)));
}

function withFile(
  { store }: Pick<ResultIo, "store">,
  path: string,
  write: (file: ReturnType<Store["openAppend"]>) => void,
): void {
  const file = store.openAppend(path, { truncateTo: 0 });
  try {
    write(file);
  } finally {
    file.close();
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
