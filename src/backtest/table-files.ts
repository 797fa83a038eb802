import { csvLine } from "../base/csv-line.ts";
import type { EncodeParquet, ParquetColumn } from "../ports/parquet.ts";
import type { AppendFile } from "../ports/store.ts";
import type { ColumnKind, TableRow } from "./replay-tables.ts";

/** Columns of a table in order, with their kinds. */
export type Columns = Readonly<Record<string, ColumnKind>>;

const FLUSH_CHARS = 1 << 16;
const encoder = new TextEncoder();

/** Writes a table as CSV (RFC 4180) with a header line; amounts are exact decimal text, missing values empty. */
export function writeCsv(
  file: Pick<AppendFile, "append">,
  columns: Columns,
  rows: readonly TableRow[],
): void {
  const names = Object.keys(columns);
  let text = `${csvLine(names)}\n`;
  for (const row of rows) {
    text += `${csvLine(names.map((name) => row[name] ?? null))}\n`;
    if (text.length < FLUSH_CHARS) continue;
    file.append(encoder.encode(text));
    text = "";
  }
  file.append(encoder.encode(text));
}

/**
 * A table as Parquet. A decimal column is a double with a column `…Text` of its exact text; a column of times has its milliseconds as an
 * integer and a column without `Ms` with the timestamp (docs/decisions/040).
 */
export function parquetTable(
  encode: EncodeParquet,
  columns: Columns,
  rows: readonly TableRow[],
): Uint8Array {
  return encode(
    Object.entries(columns).flatMap(([name, kind]) =>
      parquetColumns(
        name,
        kind,
        rows.map((row) => row[name] ?? null),
      ),
    ),
  );
}

function parquetColumns(
  name: string,
  kind: ColumnKind,
  values: ParquetColumn["values"],
): readonly ParquetColumn[] {
  switch (kind) {
    case "text":
      return [{ name, type: "text", values }];
    case "integer":
      return [{ name, type: "integer", values }];
    case "number":
      return [{ name, type: "double", values }];
    case "time":
      return [
        { name, type: "integer", values },
        { name: name.replace(/Ms$/, ""), type: "time", values },
      ];
    case "decimal":
      return [
        {
          name,
          type: "double",
          values: values.map((text) => (text === null ? null : Number(text))),
        },
        { name: `${name}Text`, type: "text", values },
      ];
  }
}
