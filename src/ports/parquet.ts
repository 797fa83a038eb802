/** A column of a Parquet file. `time`: Unix milliseconds, written as a UTC timestamp. `integer`: whole numbers below 2^53. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: "double" | "integer" | "text" | "time";
  /** All columns of a file have the same number of values. */
  readonly values: readonly (string | number | null)[];
}

/** Encodes columns as the bytes of a Parquet file. */
export type EncodeParquet = (columns: readonly ParquetColumn[]) => Uint8Array;
