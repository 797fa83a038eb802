import type { Row, TableName } from "../../journal/journal-tables.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { openJournal, runAt, runOption } from "../journal-run.ts";
import { outputTo } from "../line-output.ts";
import { asPath, argument, oneOf, textOr } from "../option.ts";

export default defineCliCommand({
  summary: "write the orders, fills, decisions, latency or uptime of a journal as CSV or ndjson",
  details:
    "Without --run, all runs follow each other. docs/journal.md describes the columns. Times are milliseconds since 1970, amounts exact decimals.",
  args: { dir: asPath(argument("<dir>", "the folder that `journal.path` names")) },
  options: {
    run: { ...runOption, about: "number of the only run in `journal ls` to write (default: all)" },
    table: oneOf<TableName>("--table <name>", "orders, fills, decisions, latency or uptime", [
      "orders",
      "fills",
      "decisions",
      "latency",
      "uptime",
    ]),
    format: oneOf<"csv" | "ndjson">("--format <format>", "csv or ndjson", ["csv", "ndjson"]),
    out: asPath(textOr("--out <file>", "file to write, replaced if it exists; - is stdout", "-")),
  },
  examples: [
    "journal export data/journal --table fills --out fills.csv",
    "journal export data/journal --table decisions --format ndjson --out - --run 2",
  ],
  async run({ args, options, terminal }) {
    const { table, format, out } = options;
    if (out === "-" && terminal.json) {
      throw usageError("--json reports what was written, so it needs --out FILE.");
    }
    const { store, runs } = await openJournal(args.dir);
    const { entriesOfRun } = await import("../../journal/segments.ts");
    const { csvLine } = await import("../../base/csv-line.ts");
    const { tableColumns, tableRows } = await import("../../journal/journal-tables.ts");
    const only = options.run === undefined ? undefined : runAt(runs, options.run);
    const columns = tableColumns[table];
    const lineOf = (row: Row): string =>
      format === "csv"
        ? csvLine(columns.map((column) => row[column] ?? null))
        : JSON.stringify(row);
    const output = outputTo(out, (line) => terminal.print(line));
    let rows = 0;
    try {
      if (format === "csv") output.line(csvLine(columns));
      for (const [at, run] of runs.entries()) {
        if (only !== undefined && run !== only) continue;
        for (const row of tableRows(table, at + 1, entriesOfRun(store, run))) {
          output.line(lineOf(row));
          rows += 1;
        }
      }
    } finally {
      output.close();
    }
    if (out === "-") return;
    terminal.emit("journal.export", { table, format, out, rows });
    terminal.print(`${rows} rows of ${table} in ${out}`);
  },
});
