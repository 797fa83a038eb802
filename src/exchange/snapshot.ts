/**
 * A part of an exchange's state as rows of plain JSON. Taking a snapshot is quick: records that can still change are converted at
 * once, while final ones (ended orders, trades, closed candles) are converted when their row is read. A running venue can thus
 * write a large snapshot in small pieces.
 */
export interface SnapshotPart {
  readonly name: string;
  readonly size: number;
  /** The `at`-th row, plain JSON. */
  row(at: number): unknown;
}

/** The saved rows of a part; none when the part is missing. */
export type SavedRows = <Row = unknown>(name: string) => Iterable<Row>;

/** A part whose rows are already converted. */
export function partNow(name: string, rows: readonly unknown[]): SnapshotPart {
  return { name, size: rows.length, row: (at) => rows[at] };
}

/** A part of records that never change again. The part takes ownership of `items`. */
export function partLater<Item>(
  name: string,
  items: readonly Item[],
  encode: (item: Item) => unknown,
): SnapshotPart {
  return { name, size: items.length, row: (at) => encode(items[at] as Item) };
}

/** Converts a record to plain JSON: an exact amount becomes an array with its text. */
export function flat(record: object): unknown {
  const row: Record<string, unknown> = { ...record };
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = [String(value)];
  }
  return row;
}

/** The inverse of `flat`. Fields that were undefined are missing. */
export function unflat<Type extends object>(row: unknown): Type {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row as object)) {
    record[name] = Array.isArray(value) ? BigInt(String(value[0])) : value;
  }
  return record as Type;
}
