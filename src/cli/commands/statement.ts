import path from "node:path";
import { csvLine } from "../../base/csv-line.ts";
import { defineCliCommand } from "../command.ts";
import { foldAccount, journalSource, openAccount } from "../account-journal.ts";
import { usageError } from "../exit-code.ts";
import { outputTo } from "../line-output.ts";
import { asPath, dayOption, text } from "../option.ts";
import { movementColumns, positionColumns, positionRow, statementOf } from "../statement.ts";
import { tradeColumns, tradeRow } from "../trade-text.ts";

export default defineCliCommand({
  summary: "write a day's fills, fees, transfers, positions, PnL and uptime",
  details:
    "From the bot's journal, over restarts, also while it runs. Fills count on the day of their time at the venue. With --out: fills.csv, positions.csv, movements.csv, and statement.html to send to somebody.",
  args: { source: journalSource },
  options: {
    day: dayOption("the UTC day, such as 2026-01-31"),
    out: asPath(text("--out <dir>", "folder for the files, made when it is missing")),
  },
  examples: ["statement my-bot.yaml --day 2026-01-31 --out statement-2026-01-31"],
  async run({ args, options: { day, out }, overrides, terminal, env }) {
    if (day === undefined) throw usageError("Give the day with --day, such as --day 2026-01-31.");
    const { AccountFold } = await import("../../metrics/account-fold.ts");
    const { dayOf } = await import("../../orders/day-start.ts");
    const { makeFolder } = await import("../../platform/folder.ts");
    const { statementPage, statementText } = await import("../statement-text.ts");
    const opened = await openAccount(args.source, day, { overrides, env });
    const fold = new AccountFold();
    if (out !== undefined) makeFolder(out);
    const write = (name: string, lines: readonly string[]): ReturnType<typeof outputTo> => {
      const file = outputTo(path.join(out ?? ".", name), () => undefined);
      for (const line of lines) file.line(line);
      return file;
    };
    const fills = out === undefined ? undefined : write("fills.csv", [csvLine(tradeColumns)]);
    try {
      foldAccount(opened, fold, (trade) => {
        if (dayOf(trade.fill.timeMs) !== day) return;
        fills?.line(csvLine(Object.values(tradeRow(trade))));
      });
    } finally {
      fills?.close();
    }
    const statement = statementOf(fold, day, opened);
    terminal.emit("statement", { ...statement, out: out ?? null });
    if (out === undefined) {
      terminal.print(statementText(statement, opened));
      return;
    }
    const positions = statement.positions.map((row) => csvLine(positionRow(row)));
    write("positions.csv", [csvLine(positionColumns), ...positions]).close();
    const movements = statement.movements.map((row) => csvLine(Object.values(row)));
    write("movements.csv", [csvLine(movementColumns), ...movements]).close();
    write("statement.html", [statementPage(statement, opened)]).close();
    terminal.print(`The statement of ${statement.day} is in ${out}.`);
  },
});
