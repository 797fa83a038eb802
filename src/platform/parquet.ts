import { parquetWriteBuffer } from "hyparquet-writer";
import type { EncodeParquet, ParquetColumn } from "../ports/parquet.ts";

const types = { double: "DOUBLE", integer: "INT64", text: "STRING", time: "TIMESTAMP" } as const;

/** Writes Parquet with Snappy compression, in row groups of 100,000. */
export const encodeParquet: EncodeParquet = (columns) =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map((column) => ({
        name: column.name,
        data: dataOf(column),
        type: types[column.type],
        nullable: column.values.includes(null),
      })),
      rowGroupSize: 100_000,
      createdBy: "touchline",
    }),
  );

function dataOf({ type, values }: ParquetColumn): (string | number | bigint | null)[] {
  if (type !== "integer" && type !== "time") return [...values];
  return values.map((value) => (value === null ? null : BigInt(value)));
}
