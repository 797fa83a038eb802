import { createDatabaseOpener } from "../../src/platform/database.ts";

/** `database-writer.ts FILE`: commits row after row, and says the number of each one once it is committed, until it is killed. */
const database = createDatabaseOpener().open(process.argv[2] ?? "");
database.exec("CREATE TABLE IF NOT EXISTS lines (number INTEGER PRIMARY KEY, text TEXT NOT NULL)");
const insert = database.prepare("INSERT INTO lines VALUES (?, ?)");
let number = 0;
for (const row of database.prepare("SELECT MAX(number) AS newest FROM lines").rows()) {
  number = Number(row["newest"] ?? 0);
}
const text = "x".repeat(100_000);

function next(): void {
  number += 1;
  database.transaction(() => insert.run(number, text));
  process.stdout.write(`${number}\n`);
  setImmediate(next);
}
next();
