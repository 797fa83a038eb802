import { netText } from "../net-text.ts";
import type { BotStatus, StrategyStatus } from "../../dashboard/api-schema.ts";
import { askStatus, runningBot } from "../control-command.ts";
import { describedText } from "../../domain/described.ts";
import { denialsText } from "../../metrics/denials.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../option.ts";
import { limitRows, sourceRow } from "../summary-text.ts";
import { statusTable } from "../status-table.ts";
import { pairs } from "../table.ts";
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
    for (const text of statusTable(found)) terminal.print(text);
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
