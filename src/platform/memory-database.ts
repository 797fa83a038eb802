import { DatabaseSync } from "node:sqlite";
import type { Database, DatabaseOpener, SqlRow } from "../ports/database.ts";

/** A database in memory that outlives its users: for simulated processes that may be killed at any time. */
export function createMemoryDatabase(): DatabaseOpener {
  const memory = new DatabaseSync(":memory:");
  const database: Database = {
    exec: (sql) => memory.exec(sql),
    prepare(sql) {
      const statement = memory.prepare(sql);
      return {
        run: (...values) => {
          statement.run(...values);
        },
        rows: (...values) => statement.iterate(...values) as Iterable<SqlRow>,
      };
    },
    transaction(work) {
      memory.exec("BEGIN");
      try {
        work();
        memory.exec("COMMIT");
      } catch (thrown) {
        memory.exec("ROLLBACK");
        throw thrown;
      }
    },
    close: () => undefined,
  };
  return { open: () => database };
}
