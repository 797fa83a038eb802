/** A small SQL database in one file. */
export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A prepared statement; each `?` in it is replaced by a value. */
export interface Statement {
  run(...values: readonly SqlValue[]): void;
  /** Matching rows, read lazily: nothing else may be written until the iteration is finished. */
  rows(...values: readonly SqlValue[]): Iterable<SqlRow>;
}

export interface Database {
  /** Runs statements without parameters or results. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /**
   * Runs `work` completely or not at all. Once it returns, its writes survive a killed process; a power cut may lose the newest
   * transactions, but never part of one. Throws TouchlineError `WRITE_FAILED` when the disk is full.
   */
  transaction(work: () => void): void;
  close(): void;
}

export interface DatabaseOpener {
  /**
   * Opens the file for this process alone, and creates it and its folders if missing. Throws TouchlineError `DATABASE_IN_USE`
   * when another process has it open, `DATABASE_UNREADABLE` when the file is damaged or is not a database.
   */
  open(path: string): Database;
}
