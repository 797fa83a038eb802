/** A small SQL database in one file. */
export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** SQL made ready; `?` in it stand for the values given. */
export interface Statement {
  run(...values: readonly SqlValue[]): void;
  /** The rows found, read as they are asked for: nothing else may be written until they are through. */
  rows(...values: readonly SqlValue[]): Iterable<SqlRow>;
}

export interface Database {
  /** Statements without values and results. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /**
   * Runs `work` whole or not at all. What it wrote survives a killed process once this has returned; a power cut may take the
   * newest transactions, never half of one. Throws TouchlineError `WRITE_FAILED` when the disk is full.
   */
  transaction(work: () => void): void;
  close(): void;
}

export interface DatabaseOpener {
  /**
   * Opens the file, making it and its folders when missing, for this process alone. Throws TouchlineError `DATABASE_IN_USE`
   * when another process has it, `DATABASE_UNREADABLE` when the file is no database or damaged.
   */
  open(path: string): Database;
}
