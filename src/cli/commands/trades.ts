import { csvLine } from "../../base/csv-line.ts";
import { defineCliCommand } from "../command.ts";
import { accountEntries, journalSource, marketIn, openAccount } from "../account-journal.ts";
import { usageError } from "../exit-code.ts";
import { dayOption, flag, text } from "../option.ts";
import { refuseUnknown, strategyName } from "../position-command.ts";
import { tradeRow, tradeColumns, tradeText } from "../trade-text.ts";

export default defineCliCommand({
  summary: "list the trades of a bot, those booked by hand included",
  details:
    "From its journal, over all runs, also while the bot runs: a line for each fill, in the order in which they were booked.",
  args: { source: journalSource },
  options: {
    day: dayOption("only trades of this UTC day, by the venue's time"),
    strategy: strategyName,
    market: text("--market <market>", "only this market, by id or ticker"),
    csv: flag("--csv", "print comma-separated values"),
  },
  examples: [
    "trades my-bot.yaml --day 2026-01-31",
    "trades my-bot.yaml --strategy eth-maker --csv",
  ],
  async run({ args, options, overrides, terminal, env }) {
    const { day, strategy: wanted, csv } = options;
    if (csv && terminal.json) throw usageError("Give either --csv or --json.");
    const { OwnFills } = await import("../../journal/own-fills.ts");
    const { dayOf } = await import("../../orders/day-start.ts");
    const opened = await openAccount(args.source, day, { overrides, env });
    if (wanted !== undefined) refuseUnknown(wanted, opened.strategies);
    const market = marketIn(opened, options.market);
    if (csv) terminal.print(csvLine(tradeColumns));
    let own = new OwnFills();
    for (const each of accountEntries(opened)) {
      if ("header" in each) {
        own = new OwnFills();
        own.restore(each.restored.orders);
        continue;
      }
      for (const trade of own.apply(each)) {
        const { strategy, fill } = trade;
        if (wanted !== undefined && strategy !== wanted) continue;
        if (market !== undefined && fill.marketId !== market) continue;
        if (day !== undefined && dayOf(fill.timeMs) !== day) continue;
        const row = tradeRow(trade);
        terminal.emit("trade", row);
        terminal.print(csv ? csvLine(Object.values(row)) : tradeText(trade, opened));
      }
    }
  },
});
