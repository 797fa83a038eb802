import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createDatabaseOpener } from "../../src/platform/database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATIENCE } from "../support/patience.ts";

const { open } = createDatabaseOpener();

describe("the database in one file", () => {
  test("keeps rows after it is closed, and creates its folder", () => {
    const path = join(temporaryFolder(), "deep", "venue.db");
    const first = open(path);
    first.exec("CREATE TABLE lines (number INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    const insert = first.prepare("INSERT INTO lines VALUES (?, ?)");
    first.transaction(() => {
      insert.run(1, "one");
      insert.run(2, "two");
    });
    first.close();
    const second = open(path);
    expect([...second.prepare("SELECT * FROM lines WHERE number > ?").rows(0)]).toEqual([
      { number: 1, text: "one" },
      { number: 2, text: "two" },
    ]);
    second.close();
  });

  test("rolls back a transaction that throws and accepts the next", () => {
    const database = open(join(temporaryFolder(), "venue.db"));
    database.exec("CREATE TABLE lines (number INTEGER PRIMARY KEY)");
    const insert = database.prepare("INSERT INTO lines VALUES (?)");
    const bug = new Error("a bug");
    const half = (): void =>
      database.transaction(() => {
        insert.run(1);
        throw bug;
      });
    expect(half).toThrow(bug);
    database.transaction(() => insert.run(2));
    expect([...database.prepare("SELECT number FROM lines").rows()]).toEqual([{ number: 2 }]);
    expect(() => database.transaction(() => insert.run(2))).toThrow(/Cannot write to .*venue.db/);
    database.close();
  });

  test("belongs to one opener at a time", () => {
    const path = join(temporaryFolder(), "venue.db");
    const first = open(path);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "DATABASE_IN_USE" }));
    first.close();
    open(path).close();
  });

  test("checkpoints a long log while commits go on, and removes it at the end", async () => {
    const path = join(temporaryFolder(), "venue.db");
    const database = open(path);
    database.exec("CREATE TABLE lines (number INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    const insert = database.prepare("INSERT INTO lines VALUES (?, ?)");
    const text = "x".repeat(50_000);
    let number = 0;
    // Only checkpoints make the file grow.
    await vi.waitFor(
      () => {
        for (let more = 0; more < 20; more += 1) {
          number += 1;
          database.transaction(() => insert.run(number, text));
        }
        expect(statSync(path).size).toBeGreaterThan(1_000_000);
      },
      { ...PATIENCE, interval: 5 },
    );
    database.close();
    expect(readdirSync(join(path, "..")).sort()).toEqual(["venue.db", "venue.db.lock"]);
    const again = open(path);
    const [row] = again
      .prepare("SELECT COUNT(*) AS found, MAX(number) AS newest FROM lines")
      .rows();
    expect(row).toEqual({ found: number, newest: number });
    again.close();
  });

  test("reports a file that is no database and a path that cannot be created", () => {
    const path = join(temporaryFolder(), "venue.db");
    writeFileSync(path, "nothing of the kind".repeat(100));
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "DATABASE_UNREADABLE" }));
    expect(() => open(join(path, "below", "venue.db"))).toThrow(
      expect.objectContaining({ code: "DATABASE_UNREADABLE" }),
    );
  });
});
