import { rounded } from "../base/rounded.ts";
import type { BotStatus } from "../dashboard/api-schema.ts";
import { states } from "../dashboard/strategy-state.ts";
import { portfolioText, uptimeText } from "./summary-text.ts";
import { right, table } from "./table.ts";

/** A row for each strategy in each market, and the totals of several. */
export function statusTable({ strategies, portfolio }: BotStatus): readonly string[] {
  const rows = table(
    [
      "strategy",
      "market",
      "state",
      right("orders"),
      right("position"),
      right("PnL today"),
      right("PnL in all"),
      right("fills of this run"),
      "uptime",
      "bids",
      "asks",
    ],
    strategies.map((row) => [
      row.name,
      row.market,
      states[row.state][1],
      String(row.orders),
      row.position.base,
      rounded(row.position.dayPnl ?? "unknown"),
      rounded(row.position.totalPnl ?? "unknown"),
      String(row.run.fills),
      row.uptime === null ? "-" : uptimeText(row.uptime),
      row.reason.BUY ?? "quoted",
      row.reason.SELL ?? "quoted",
    ]),
  );
  if (portfolio === undefined || strategies.length < 2) return [rows];
  return [rows, `All strategies: ${portfolioText(portfolio)}.`];
}
