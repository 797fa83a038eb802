/** Primary result codes of SQLite. */
export const sqliteCodes = { busy: 5, corrupt: 11, full: 13, noDatabase: 26 } as const;

/** SQLite's primary result code of an error; undefined for any other error. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode & 0xff
    : undefined;
}
