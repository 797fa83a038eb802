import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { createDatabaseOpener } from "../../src/platform/database.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** More than the log holds before it begins anew, so that kills fall into every kind of checkpoint. */
const ROWS_PER_ROUND = 800;

it("committed rows survive kill -9 at any moment of the checkpoint thread", {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-commits-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "rows.db");
  let acknowledged = 0;
  for (let round = 0; round < 3; round += 1) {
    const writer = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "database-writer.ts"), file],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    cleanups.push(() => writer.kill("SIGKILL"));
    const enough = acknowledged + ROWS_PER_ROUND + 7 * round;
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === enough) writer.kill("SIGKILL");
    }
    const database = createDatabaseOpener().open(file);
    const sql =
      "SELECT COUNT(*) AS found, MAX(number) AS newest, MIN(length(text)) AS least FROM lines";
    const [row] = database.prepare(sql).rows();
    expect(row).toEqual({ found: row?.["newest"], newest: row?.["found"], least: 100_000 });
    expect(Number(row?.["found"])).toBeGreaterThanOrEqual(acknowledged);
    expect([...database.prepare("PRAGMA integrity_check").rows()]).toEqual([
      { integrity_check: "ok" },
    ]);
    database.close();
  }
  expect(acknowledged).toBeGreaterThanOrEqual(3 * ROWS_PER_ROUND);
  expect(statSync(file).size).toBeGreaterThan(100_000 * acknowledged);
});
