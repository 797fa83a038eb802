import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { Database, DatabaseOpener, SqlRow, SqlValue } from "../ports/database.ts";
import { Checkpoints } from "./checkpoints.ts";
import { writeFailed } from "./file-errors.ts";
import { openExclusive, sqliteCodeOf, sqliteCodes } from "./sqlite.ts";
import { makeFolder } from "./folder.ts";
import { makePrivate, OWNER_ONLY_FOLDER } from "./private-file.ts";

/** SQLite in write-ahead mode: a commit writes to the page cache, and another thread checkpoints the log to disk. */
export function createDatabaseOpener(): DatabaseOpener {
  return { open };
}

/** How long a commit waits while the log is restarted, which takes two disk syncs. */
const BUSY_WAIT_MS = 60_000;
/** Checkpoint interval in pages when the checkpoint thread is gone: SQLite's default. */
const PAGES_PER_CHECKPOINT = 1000;

function open(path: string): Database {
  const opened: DatabaseSync[] = [];
  try {
    makeFolder(dirname(path), OWNER_ONLY_FOLDER);
    // SQLite gives its log the mode of the database.
    for (const file of [path, `${path}.lock`]) makePrivate(file);
    // This process opens the file twice (the second time in the checkpoint thread), so a separate lock file keeps others out.
    const lock = openExclusive(`${path}.lock`);
    opened.push(lock);
    const file = new DatabaseSync(path, { timeout: 0 });
    opened.push(file);
    file.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0",
    );
    // Fails now if the file is not writable.
    file.exec("BEGIN IMMEDIATE; COMMIT");
    file.exec(`PRAGMA busy_timeout = ${BUSY_WAIT_MS}`);
    return wrap(path, file, lock);
  } catch (thrown) {
    for (const file of opened) file.close();
    throw openError(path, thrown);
  }
}

function wrap(path: string, file: DatabaseSync, lock: DatabaseSync): Database {
  const begin = file.prepare("BEGIN IMMEDIATE");
  const commit = file.prepare("COMMIT");
  const checkpoints = new Checkpoints(path, () => {
    file.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`);
  });
  let written = 0;
  return {
    exec: (sql) => file.exec(sql),
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        run: (...values) => {
          statement.run(...values);
          written += sizeOf(values);
        },
        rows: (...values) => statement.iterate(...values) as Iterable<SqlRow>,
      };
    },
    transaction(work) {
      try {
        begin.run();
        work();
        commit.run();
      } catch (thrown) {
        if (file.isTransaction) file.exec("ROLLBACK");
        throw sqliteCodeOf(thrown) !== undefined ? writeFailed(path, thrown) : thrown;
      }
      checkpoints.note(written + PAGE_BYTES);
      written = 0;
    },
    close() {
      checkpoints.close();
      file.close();
      lock.close();
    },
  };
}

/** Size of a page; even a single row rewrites a whole one. */
const PAGE_BYTES = 4096;

function sizeOf(values: readonly SqlValue[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array) size += value.length;
  }
  return size;
}

function openError(path: string, thrown: unknown): TouchlineError {
  const code = sqliteCodeOf(thrown);
  const reason = errorText(thrown);
  const options = { context: { path, reason }, cause: thrown };
  if (code === sqliteCodes.busy) {
    return new TouchlineError("DATABASE_IN_USE", `${path} is in use by another process.`, {
      ...options,
      hint: "Stop that process, or give another folder.",
    });
  }
  if (code === sqliteCodes.noDatabase || code === sqliteCodes.corrupt) {
    return new TouchlineError("DATABASE_UNREADABLE", `${path} is damaged or is not a database.`, {
      ...options,
      hint: "Move it away to start with an empty one, or restore a copy.",
    });
  }
  return new TouchlineError("DATABASE_UNREADABLE", `Cannot open ${path}: ${reason}.`, options);
}
