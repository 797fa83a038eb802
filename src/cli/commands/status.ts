import { netText } from "../net-text.ts";
import type { BotStatus, StrategyStatus } from "../../dashboard/api-schema.ts";
import { askStatus, runningBot } from "../control-command.ts";
import { describedText } from "../../domain/described.ts";
import { denialsText } from "../../metrics/denials.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { rounded } from "../../base/rounded.ts";
import { flag } from "../option.ts";
import { limitRows, portfolioText, sourceRow, uptimeText } from "../summary-text.ts";
import { pairs, right, table } from "../table.ts";
import { watchStatus } from "../watch-status.ts";

/** Whether the risk ladder or an operator's halt keeps a strategy from quoting until somebody resumes it. */
function isStopped({ halted, risk }: StrategyStatus): boolean {
  return halted || risk.step === "pause";
}

export default defineCliCommand({
  summary: "show what a running bot does, and why a side is not quoted",
  details: "Exits with 1 when a strategy is halted, or paused by risk, and when no bot answers.",
  args: { config: runningBot },
  options: { watch: flag("--watch", "follow it, once a second, until q or Ctrl-C") },
  examples: ["status my-bot.yaml", "status my-bot.yaml --watch", "status my-bot.yaml --json"],
  endsBySignal: true,
  async run({ args, options, overrides, env, terminal, interrupt }) {
    const ask = (): Promise<BotStatus> => askStatus(args.config, { overrides, env });
    if (options.watch) {
      await watchStatus(ask, { terminal, interrupt });
      return exitCode.done;
    }
    const found = await ask();
    terminal.emit("status", { ...found });
    terminal.print(
      table(
        [
          "strategy",
          "market",
          right("orders"),
          right("position"),
          right("PnL today"),
          right("PnL in all"),
          right("fills of this run"),
          "uptime",
          "bids",
          "asks",
        ],
        found.strategies.map((row) => [
          row.name,
          row.market,
          String(row.orders),
          row.position.base,
          rounded(row.position.dayPnl ?? "unknown"),
          rounded(row.position.totalPnl ?? "unknown"),
          String(row.run.fills),
          row.uptime === null ? "-" : uptimeText(row.uptime),
          row.reason.BUY ?? "quoted",
          row.reason.SELL ?? "quoted",
        ]),
      ),
    );
    if (found.portfolio !== undefined && found.strategies.length > 1) {
      terminal.print(`All strategies: ${portfolioText(found.portfolio)}.`);
    }
    for (const net of found.nets) terminal.print(`${net.name}, net: ${netText(net)}`);
    for (const { name: strategy, risk, denied, described } of found.strategies) {
      const own = describedText(described);
      if (own !== "") terminal.print(`Own numbers: ${strategy}: ${own}`);
      if (denied.length > 0) terminal.print(`Denied: ${strategy}: ${denialsText(denied)}`);
      if (risk.step !== "normal") terminal.print(`Risk: ${strategy}: ${risk.step}, ${risk.reason}`);
    }
    if (found.limits.length > 0) {
      terminal.print(`Limits:\n${pairs(limitRows(found.limits))}`);
    }
    if (found.sources.length > 0) {
      terminal.print(`Price sources:\n${pairs(found.sources.map(sourceRow))}`);
    }
    terminal.print(`Guard: ${found.guard}.`);
    const newest = found.warnings.at(-1);
    if (newest !== undefined) terminal.print(`Newest warning: ${newest.text}`);
    return found.strategies.some(isStopped) ? exitCode.failed : exitCode.done;
  },
});
