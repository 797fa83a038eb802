import { rounded } from "../../base/rounded.ts";
import { groupings, type Grouping, type PnlRow } from "../../metrics/account-rows.ts";
import { defineCliCommand } from "../command.ts";
import { foldAccount, journalSource, openAccount } from "../account-journal.ts";
import { dayOption, oneOf } from "../option.ts";
import { right, table } from "../table.ts";
import { symbolOf } from "../token-of.ts";

export default defineCliCommand({
  summary: "show a bot's realised and unrealised PnL, fees and volume",
  details:
    "From its journal, over all runs, also while the bot runs. Open positions are valued at the last mid in the journal. PnL is the realised one and the change of the unrealised one. Totals are in `reportingCurrency`, or in the main quote token.",
  args: { source: journalSource },
  options: {
    by: oneOf<Grouping>("--by <what>", "strategy, market or day", groupings),
    day: dayOption("only this UTC day"),
  },
  examples: ["pnl my-bot.yaml --by day", "pnl my-bot.yaml --day 2026-01-31 --by market --json"],
  async run({ args, options: { by, day }, overrides, terminal, env }) {
    const { AccountFold } = await import("../../metrics/account-fold.ts");
    const { PnlRows } = await import("../../metrics/account-rows.ts");
    const opened = await openAccount(args.source, day, { overrides, env });
    const { symbols, currency } = opened;
    const fold = new AccountFold();
    foldAccount(opened, fold);
    const days = day === undefined ? fold.days : [fold.at(day)];
    const [first] = days;
    const before = first && fold.days[fold.days.indexOf(first) - 1];
    const { rows, total } = new PnlRows(days, { by, before, currency });
    for (const row of rows) terminal.emit("pnl", { by, ...row });
    terminal.emit("pnl.total", { ...total });
    const shown = (amount: string | null): string =>
      amount === null ? "unknown" : rounded(amount);
    const cells = (row: PnlRow): readonly string[] => [
      row.name ?? "all",
      row.currency === null ? "-" : symbolOf(symbols, row.currency),
      shown(row.pnl),
      shown(row.realised),
      shown(row.unrealised),
      shown(row.volume),
      String(row.fills),
      Object.entries(row.fees)
        .map(([token, fee]) => `${rounded(fee)} ${symbolOf(symbols, token)}`)
        .join(", ") || "none",
    ];
    terminal.print(
      table(
        [
          by,
          "in",
          right("PnL"),
          right("realised"),
          right("unrealised"),
          right("volume"),
          right("fills"),
          "fees",
        ],
        [...rows, total].map(cells),
      ),
    );
  },
});
