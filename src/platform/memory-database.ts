import { DatabaseSync } from "node:sqlite";
import type { Database, DatabaseOpener, SqlRow } from "../ports/database.ts";

/** One database in memory that outlives its opener: for a simulated process that may die at any moment. */
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
