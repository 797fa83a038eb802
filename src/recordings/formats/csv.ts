import { counted } from "../../base/counted.ts";
import type { TouchlineError } from "../../base/error.ts";
import { brokenLine, type Place, type SourceFile } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

/** Splits a line of CSV into fields. Quotes around a field and doubled quotes in it are removed; fields cannot contain line breaks. */
export function csvFields(line: string): string[] {
  const fields: string[] = [];
  let from = 0;
  for (;;) {
    if (line[from] === '"') {
      let to = line.indexOf('"', from + 1);
      while (to >= 0 && line[to + 1] === '"') to = line.indexOf('"', to + 2);
      const end = to < 0 ? line.length : to;
      fields.push(line.slice(from + 1, end).replaceAll('""', '"'));
      from = end + 1;
    } else {
      const comma = line.indexOf(",", from);
      const end = comma < 0 ? line.length : comma;
      fields.push(line.slice(from, end));
      from = end;
    }
    if (from >= line.length) return fields;
    from += 1;
  }
}

/**
 * The rows of a CSV file after its header, if it has one, without empty lines. A row has as many fields as the header. Can be iterated only
 * once.
 */
export class CsvRows implements Iterable<string[]> {
  /** From the file, or as the user states it for a file without. */
  readonly header: readonly string[];
  /** Location of the newest row, for error messages. */
  readonly place: Place;
  readonly #rows: Iterator<string[], undefined>;
  readonly #named: string;
  #line = 0;

  constructor(file: SourceFile, { hasHeader = true }: { readonly hasHeader?: boolean } = {}) {
    this.place = () => `${file.name}, line ${this.#line}`;
    this.#rows = this.#read(file);
    this.#named = file.columns === undefined ? "the header" : "--columns";
    this.header = hasHeader ? (file.columns ?? this.#rows.next().value ?? []) : [];
  }

  /** Line of the newest row, counted from 1. */
  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<string[], undefined> {
    const { header } = this;
    for (let row = this.#rows.next(); row.done !== true; row = this.#rows.next()) {
      if (header.length > 0 && row.value.length !== header.length) {
        const fields = `the row has ${counted(row.value.length, "field")}`;
        throw brokenLine(this.place, `${fields}, ${this.#named} ${header.length}`);
      }
      yield row.value;
    }
  }

  /** The header lacks `wanted`, or the file has no header. */
  wrongHeader(wanted: string): TouchlineError {
    if (this.header.length === 1 && /[;\t|]/.test(this.header[0] ?? ""))
      return brokenLine(this.place, "the fields are not separated by commas");
    const isData = this.header.some((field) => stampUs(field) !== undefined);
    if (!isData) return brokenLine(this.place, `the header has no columns ${wanted}`);
    const problem = "the file has no header: name the columns";
    return brokenLine(this.place, `${problem} (${wanted}) in their order with --columns A,B,C`);
  }

  *#read(file: SourceFile): Generator<string[], undefined> {
    for (const text of file.lines()) {
      this.#line += 1;
      if (text.trim() !== "") yield csvFields(text.trimEnd());
    }
  }
}

/** Groups consecutive rows of which `isSame` holds with the first one. */
export function* rowGroups<Row>(
  rows: Iterable<Row>,
  isSame: (first: Row, next: Row) => boolean,
): Generator<readonly [Row, ...Row[]]> {
  let group: [Row, ...Row[]] | undefined;
  for (const row of rows) {
    if (group !== undefined && isSame(group[0], row)) group.push(row);
    else {
      if (group !== undefined) yield group;
      group = [row];
    }
  }
  if (group !== undefined) yield group;
}

/** Finds the named columns in a CSV's rows. */
export class CsvColumns<Name extends string> {
  readonly #at: ReadonlyMap<Name, number>;

  private constructor(at: ReadonlyMap<Name, number>) {
    this.#at = at;
  }

  /** Undefined when the header lacks one of the `needed` columns. */
  static of<Name extends string>(
    header: readonly string[],
    needed: readonly Name[],
    optional: readonly Name[] = [],
  ): CsvColumns<Name> | undefined {
    if (!needed.every((name) => header.includes(name))) return undefined;
    return new CsvColumns(
      new Map([...needed, ...optional].map((name) => [name, header.indexOf(name)] as const)),
    );
  }

  /** The text of a column; empty when the column is missing. */
  text(row: readonly string[], name: Name): string {
    return row[this.#at.get(name) ?? -1] ?? "";
  }

  /** The whole number in a column. Throws TouchlineError `IMPORT_BROKEN`. */
  integer(row: readonly string[], name: Name, place: Place): number {
    const text = this.text(row, name);
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw brokenLine(place, `${name} is not a whole number`);
  }
}
