import { counted } from "../../base/counted.ts";
import type { TouchlineError } from "../../base/error.ts";
import { brokenLine, type Place, type SourceFile } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

const SKIPPED = "- for one that is not used";

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

/** A header in which each of `names` is written as here: `Open time`, `open_time` and `openTime (UTC)` are one name. */
export function knownNames(header: readonly string[], names: readonly string[]): readonly string[] {
  const known = new Map(names.map((name) => [plainName(name), name]));
  return header.map((written) => known.get(plainName(written)) ?? written);
}

/** Words about the zone or unit of a time: the times themselves tell. */
const TIME_WORDS: ReadonlySet<string> = new Set(["utc", "gmt", "unix", "ms"]);

function plainName(name: string): string {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const telling = words.filter((word) => word !== "" && !TIME_WORDS.has(word));
  return (telling.length > 0 ? telling : words).join("");
}

/** Whether a row has a time, as no header does. */
export function isData(row: readonly string[]): boolean {
  return row.some((field) => stampUs(field) !== undefined);
}

interface RowsOptions {
  /** Names of the columns of a file without header, by its first row; undefined where that is a header. */
  readonly usual?: (first: readonly string[]) => readonly string[] | undefined;
}

/**
 * The rows of a CSV file after its header, if it has one, without empty lines. A row has as many fields as the header. Can be iterated only
 * once.
 */
export class CsvRows implements Iterable<string[]> {
  /** As the user states it, from the file, or for a file without the usual one. */
  readonly header: readonly string[];
  /** Location of the newest row, for error messages. */
  readonly place: Place;
  readonly #rows: Iterator<string[], undefined>;
  readonly #named: string;
  /** The first row of a file without header. */
  readonly #first: string[] | undefined;
  #line = 0;

  constructor(file: SourceFile, { usual }: RowsOptions = {}) {
    this.place = () => (this.#line === 0 ? file.name : `${file.name}, line ${this.#line}`);
    this.#rows = this.#read(file);
    if (file.columns !== undefined) {
      this.#named = "--columns";
      this.header = file.columns;
      return;
    }
    const first = this.#rows.next().value ?? [];
    const names = usual?.(first);
    this.#first = names === undefined ? undefined : first;
    this.#named = names === undefined ? "the header" : "a file without header";
    this.header = names ?? first;
  }

  /** Line of the newest row, counted from 1. */
  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<string[], undefined> {
    if (this.#first !== undefined) yield this.#fitting(this.#first);
    let row = this.#rows.next();
    // The user's names replace those of a header.
    if (this.#named === "--columns" && row.done !== true && !isData(row.value))
      row = this.#rows.next();
    for (; row.done !== true; row = this.#rows.next()) yield this.#fitting(row.value);
  }

  /** Why no kind of file fits the header. `kinds` has the columns that each needs, `header` the names as they are written there. */
  wrongHeader(
    kinds: readonly (readonly string[])[],
    header: readonly string[] = this.header,
  ): TouchlineError {
    if (this.header.length === 1 && /[;\t|]/.test(this.header[0] ?? ""))
      return brokenLine(this.place, "the fields are not separated by commas");
    const how = `name every column in its order with --columns A,B,C (${SKIPPED})`;
    if (isData(this.header)) {
      const names = kinds.map((kind) => kind.join(", ")).join("; or ");
      return brokenLine(this.place, `the file has no header: ${how}; needed are ${names}`);
    }
    const lacking = kinds.map((kind) => kind.filter((name) => !header.includes(name)));
    const fewest = Math.min(...lacking.map((names) => names.length));
    if (fewest === 0) {
      const twice = header.filter(
        (name, at) => plainName(name) !== "" && header.indexOf(name) < at,
      );
      return brokenLine(this.place, `${this.#named} has more than one column ${twice.join(", ")}`);
    }
    const nearest = lacking.filter((names) => names.length === fewest);
    const names = nearest.map((each) => each.join(", ")).join("; or ");
    const columns = fewest === 1 ? "column" : "columns";
    const lack = `${this.#named} lacks the ${columns} ${names}`;
    return brokenLine(this.place, this.#named === "--columns" ? lack : `${lack}: ${how}`);
  }

  #fitting(row: string[]): string[] {
    const { length } = this.header;
    if (length === 0 || row.length === length) return row;
    const problem = `the row has ${counted(row.length, "field")}, ${this.#named} ${length}`;
    const how = this.#named === "--columns" ? `: name every column (${SKIPPED})` : "";
    throw brokenLine(this.place, problem + how);
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

  /** Undefined when the header lacks one of the `needed` columns, or has a column twice. */
  static of<Name extends string>(
    header: readonly string[],
    needed: readonly Name[],
    optional: readonly Name[] = [],
  ): CsvColumns<Name> | undefined {
    const names = [...needed, ...optional];
    if (!needed.every((name) => header.includes(name))) return undefined;
    if (names.some((name) => header.indexOf(name) !== header.lastIndexOf(name))) return undefined;
    return new CsvColumns(new Map(names.map((name) => [name, header.indexOf(name)] as const)));
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
