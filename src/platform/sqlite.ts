import { DatabaseSync } from "node:sqlite";

/** Primary result codes of SQLite. */
export const sqliteCodes = { busy: 5, corrupt: 11, full: 13, noDatabase: 26 } as const;

/** SQLite's primary result code of an error; undefined for any other error. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode & 0xff
    : undefined;
}

/**
 * Opens a file with SQLite's exclusive lock, which the operating system releases when the process ends, however it ends. Throws SQLite's
 * error, `busy` when another process holds the lock.
 */
export function openExclusive(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}
