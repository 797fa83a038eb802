import { assert } from "../../base/assert.ts";
import { TouchlineError } from "../../base/error.ts";
import type { SnapshotPart } from "../../exchange/snapshot.ts";
import type { Database, SqlValue, Statement } from "../../ports/database.ts";

/** Version of the tables, of actions and of snapshots. */
const FORMAT = "1";

const tables = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS groups (
    number INTEGER PRIMARY KEY, block INTEGER NOT NULL, actions TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS images (number INTEGER PRIMARY KEY, isWhole INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS pieces (
    image INTEGER NOT NULL, part TEXT NOT NULL, at INTEGER NOT NULL, lines TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS piecesOfPart ON pieces (image, part, at);
`;

/** Actions committed together; `block` is the exchange's newest block after them. */
export interface ActionGroup {
  readonly block: number;
  readonly lines: readonly string[];
}

/**
 * The tables of a paper venue's `dataDir`: groups of actions as they were acknowledged, and snapshots of the whole exchange. The
 * snapshot with number n contains the effects of groups up to n, so a start repeats only later groups.
 */
export class VenueStore {
  readonly #database: Database;
  readonly #statements: {
    readonly insertGroup: Statement;
    readonly insertPiece: Statement;
    readonly setFact: Statement;
  };
  #newest: number;

  /** Throws TouchlineError `DATA_DIR_VERSION` when the tables are of another format. */
  constructor(database: Database) {
    this.#database = database;
    database.exec(tables);
    this.#statements = {
      insertGroup: database.prepare("INSERT INTO groups VALUES (?, ?, ?)"),
      insertPiece: database.prepare("INSERT INTO pieces VALUES (?, ?, ?, ?)"),
      setFact: database.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)"),
    };
    const format = this.fact("format");
    if (format !== undefined && format !== FORMAT) throw versionError(format);
    if (format === undefined) this.setFact("format", FORMAT);
    this.#newest = Math.max(this.#number("SELECT MAX(number) AS found FROM groups"), this.snapshot);
  }

  fact(name: string): string | undefined {
    for (const row of this.#database.prepare("SELECT value FROM facts WHERE name = ?").rows(name)) {
      return String(row["value"]);
    }
    return undefined;
  }

  setFact(name: string, value: string): void {
    this.#database.transaction(() => this.#statements.setFact.run(name, value));
  }

  /** Number of the newest group. */
  get newest(): number {
    return this.#newest;
  }

  /** Commits a group; it survives the process from here on. */
  append(group: ActionGroup): void {
    this.#database.transaction(() => {
      const { insertGroup } = this.#statements;
      insertGroup.run(this.#newest + 1, group.block, group.lines.join("\n"));
    });
    this.#newest += 1;
  }

  /** Groups after this number, oldest first. */
  *groupsAfter(number: number): Generator<ActionGroup> {
    const sql = "SELECT block, actions FROM groups WHERE number > ? ORDER BY number";
    for (const row of this.#database.prepare(sql).rows(number)) {
      yield { block: Number(row["block"]), lines: String(row["actions"]).split("\n") };
    }
  }

  /** Number of the newest complete snapshot; 0 when there is none. */
  get snapshot(): number {
    return this.#number("SELECT MAX(number) AS found FROM images WHERE isWhole = 1");
  }

  /** Rows of a part of a snapshot, in their order. */
  *rows(snapshot: number, part: string): Generator {
    const sql = "SELECT lines FROM pieces WHERE image = ? AND part = ? ORDER BY at";
    for (const row of this.#database.prepare(sql).rows(snapshot, part)) {
      for (const line of String(row["lines"]).split("\n")) yield JSON.parse(line);
    }
  }

  beginSnapshot(number: number): void {
    assert(number > this.snapshot, "a snapshot has later groups than the one before");
    this.#run("INSERT OR REPLACE INTO images VALUES (?, 0)", number);
  }

  /** Writes rows `from` up to `to` (not included) of a part. */
  writePiece(snapshot: number, part: SnapshotPart, from: number, to: number): void {
    const lines: string[] = [];
    for (let at = from; at < to; at += 1) lines.push(JSON.stringify(part.row(at)));
    this.#database.transaction(() => {
      this.#statements.insertPiece.run(snapshot, part.name, from, lines.join("\n"));
    });
  }

  /** Completes this snapshot: from now on, starts begin with it. */
  finishSnapshot(number: number): void {
    this.#run("UPDATE images SET isWhole = 1 WHERE number = ?", number);
  }

  /**
   * Removes up to about `rows` rows that no start needs any more: groups that a snapshot contains, and snapshots that are older or
   * unfinished. Returns false when nothing is left to remove. Not to be called while a snapshot is being written.
   */
  prune(rows: number): boolean {
    const snapshot = this.snapshot;
    const before = this.#changes();
    this.#run(
      "DELETE FROM groups WHERE number IN (SELECT number FROM groups WHERE number <= ? LIMIT ?)",
      snapshot,
      rows,
    );
    this.#run(
      "DELETE FROM pieces WHERE rowid IN (SELECT rowid FROM pieces WHERE image <> ? LIMIT ?)",
      snapshot,
      Math.max(1, Math.floor(rows / 100)),
    );
    if (this.#changes() > before) return true;
    this.#run("DELETE FROM images WHERE number <> ?", snapshot);
    return false;
  }

  close(): void {
    this.#database.close();
  }

  #run(sql: string, ...values: readonly SqlValue[]): void {
    this.#database.transaction(() => this.#database.prepare(sql).run(...values));
  }

  #changes(): number {
    return this.#number("SELECT total_changes() AS found");
  }

  #number(sql: string): number {
    for (const row of this.#database.prepare(sql).rows()) return Number(row["found"] ?? 0);
    return 0;
  }
}

function versionError(format: string): TouchlineError {
  return new TouchlineError(
    "DATA_DIR_VERSION",
    `The dataDir was written in format ${format}, this version reads format ${FORMAT}.`,
    { context: { format }, hint: "Use the version that wrote it, or another folder." },
  );
}
