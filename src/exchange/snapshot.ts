/**
 * The state of an exchange as rows of plain JSON, for whoever keeps it on disk. Taking an image is quick: what can still
 * change is turned into rows at once, what never changes again (ended orders, trades, closed candles) is only noted and
 * turned into rows when they are asked for, so that a running venue can write a large image in small pieces.
 */
export interface SnapshotPart {
  readonly name: string;
  readonly size: number;
  /** The `at`-th row, plain JSON. */
  row(at: number): unknown;
}

/** Rows of a part as they were saved; none when there is no such part. */
export type SavedRows = <Row = unknown>(name: string) => Iterable<Row>;

/** A part of rows that are made already. */
export function partNow(name: string, rows: readonly unknown[]): SnapshotPart {
  return { name, size: rows.length, row: (at) => rows[at] };
}

/** A part of records that never change again; `items` belongs to the part from now on. */
export function partLater<Item>(
  name: string,
  items: readonly Item[],
  encode: (item: Item) => unknown,
): SnapshotPart {
  return { name, size: items.length, row: (at) => encode(items[at] as Item) };
}

/** A record of plain values as JSON can hold it: an exact amount becomes its text in an array of one. */
export function flat(record: object): unknown {
  const row: Record<string, unknown> = { ...record };
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = [String(value)];
  }
  return row;
}

/** The inverse of `flat`; a value that was undefined is missing. */
export function unflat<Type extends object>(row: unknown): Type {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row as object)) {
    record[name] = Array.isArray(value) ? BigInt(String(value[0])) : value;
  }
  return record as Type;
}
