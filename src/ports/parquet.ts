/** `time`: Unix milliseconds, `micros`: Unix microseconds, both written as UTC timestamps. `integer`: whole numbers below 2^53. */
export type ParquetType = "double" | "integer" | "text" | "time" | "micros";

export type ParquetValues = readonly (string | number | null)[];

/** A column of a Parquet file. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** All columns of a file have the same number of values. */
  readonly values: ParquetValues;
}

/** Encodes columns as the bytes of a Parquet file. */
export type EncodeParquet = (columns: readonly ParquetColumn[]) => Uint8Array;

/** Types of the columns of a table, by name and in order. */
export type ParquetSchema = Readonly<Record<string, ParquetType>>;

/** A Parquet file that is written in parts, each a row group. Any value may be null. */
export interface ParquetRows {
  /** The values of each column, in the order of the schema. */
  write(values: readonly ParquetValues[]): void;
  finish(): void;
}

/** `append` gets the bytes of the file in order. */
export type OpenParquet = (
  schema: ParquetSchema,
  append: (bytes: Uint8Array) => void,
) => ParquetRows;
