import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TouchlineError } from "../base/error.ts";
import type { Database, DatabaseOpener, SqlRow } from "../ports/database.ts";

/** SQLite in write-ahead mode: a commit is one write into the page cache, the disk follows when the log is folded in. */
export function createDatabaseOpener(): DatabaseOpener {
  return { open };
}

/** Primary result codes of SQLite: the file is taken, is no database, or is damaged. */
const BUSY = 5;
const CORRUPT = 11;
const NO_DATABASE = 26;

function open(path: string): Database {
  let file: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    file = new DatabaseSync(path, { timeout: 0 });
    // The lock is the operating system's: it ends with the process, however that ends.
    file.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
    );
    // Takes the lock now, not with the first row.
    file.exec("BEGIN IMMEDIATE; COMMIT");
  } catch (thrown) {
    file?.close();
    throw openError(path, thrown);
  }
  return wrap(path, file);
}

function wrap(path: string, file: DatabaseSync): Database {
  return {
    exec: (sql) => file.exec(sql),
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        run: (...values) => {
          statement.run(...values);
        },
        rows: (...values) => statement.iterate(...values) as Iterable<SqlRow>,
      };
    },
    transaction(work) {
      try {
        file.exec("BEGIN IMMEDIATE");
        work();
        file.exec("COMMIT");
      } catch (thrown) {
        if (file.isTransaction) file.exec("ROLLBACK");
        throw isSqlite(thrown) ? writeError(path, thrown) : thrown;
      }
    },
    close: () => file.close(),
  };
}

function isSqlite(thrown: unknown): thrown is Error & { readonly errcode: number } {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number";
}

function openError(path: string, thrown: unknown): TouchlineError {
  const code = isSqlite(thrown) ? thrown.errcode & 0xff : 0;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const options = { context: { path, reason }, cause: thrown };
  if (code === BUSY) {
    return new TouchlineError("DATABASE_IN_USE", `${path} is in use by another process.`, {
      ...options,
      hint: "Stop that process, or give another folder.",
    });
  }
  if (code === NO_DATABASE || code === CORRUPT) {
    return new TouchlineError("DATABASE_UNREADABLE", `${path} is damaged or no database.`, {
      ...options,
      hint: "Move it away to start anew, or bring back a copy.",
    });
  }
  return new TouchlineError("DATABASE_UNREADABLE", `Cannot open ${path}: ${reason}.`, options);
}

function writeError(path: string, thrown: Error): TouchlineError {
  return new TouchlineError("WRITE_FAILED", `Cannot write to ${path}: ${thrown.message}.`, {
    context: { path },
    hint: "Is the disk full?",
    cause: thrown,
  });
}
