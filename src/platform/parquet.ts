import { ByteWriter, ParquetWriter, parquetWriteBuffer } from "hyparquet-writer";
import type { EncodeParquet, OpenParquet, ParquetType, ParquetValues } from "../ports/parquet.ts";

type Element = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

const types = {
  double: { type: "DOUBLE" },
  integer: { type: "INT64" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  micros: { type: "INT64", converted_type: "TIMESTAMP_MICROS" },
} as const satisfies Record<ParquetType, Partial<Element>>;

const CREATED_BY = "touchline";

/** Writes Parquet with Snappy compression, in row groups of 100,000. */
export const encodeParquet: EncodeParquet = (columns) => {
  const schema = columns.map(({ name, type, values }) =>
    elementOf(name, type, values.includes(null)),
  );
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(({ name, type, values }) => ({ name, data: dataOf(type, values) })),
      schema: [rootOf(schema), ...schema],
      rowGroupSize: 100_000,
      createdBy: CREATED_BY,
    }),
  );
};

/** As `encodeParquet`, in parts. */
export const openParquet: OpenParquet = (columns, append) => {
  const writer = new PartWriter(append);
  const names = Object.entries(columns);
  const schema = names.map(([name, type]) => elementOf(name, type, true));
  const file = new ParquetWriter({
    writer,
    schema: [rootOf(schema), ...schema],
    createdBy: CREATED_BY,
  });
  return {
    write(values) {
      const rowGroupSize = values[0]?.length ?? 0;
      if (rowGroupSize === 0) return;
      const columnData = names.map(([name, type], at) => ({
        name,
        data: dataOf(type, values[at] ?? []),
      }));
      void file.write({ columnData, rowGroupSize });
    },
    finish: () => void file.finish(),
  };
};

/** Hands over what was written after each row group. */
class PartWriter extends ByteWriter {
  readonly #append: (bytes: Uint8Array) => void;

  constructor(append: (bytes: Uint8Array) => void) {
    super();
    this.#append = append;
  }

  flush(): void {
    this.#append(this.getBytes().slice());
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }
}

function rootOf(schema: readonly Element[]): Element {
  return { name: "root", num_children: schema.length };
}

function elementOf(name: string, type: ParquetType, isNullable: boolean): Element {
  return { name, ...types[type], repetition_type: isNullable ? "OPTIONAL" : "REQUIRED" };
}

function dataOf(type: ParquetType, values: ParquetValues): (string | number | bigint | null)[] {
  if (type === "text" || type === "double") return [...values];
  return values.map((value) => (value === null ? null : BigInt(value)));
}
