import { z } from "zod";
import { askBot } from "../control-command.ts";
import { denialsText } from "../../metrics/denials.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { rounded } from "../../base/rounded.ts";
import { asPath, argument } from "../option.ts";
import { limitRow, portfolioText, uptimeText } from "../summary-text.ts";
import { pairs, right, table } from "../table.ts";

const side = z.string().nullable();
const pnl = z.object({ day: z.string().nullable(), total: z.string().nullable() });
/** What a running bot says of itself: the page's panels without their charts. */
export const botStatus = z.object({
  pid: z.number(),
  guard: z.enum(["none", "connected", "lost"]).default("none"),
  strategies: z.array(
    z.object({
      strategy: z.string(),
      market: z.string(),
      book: z.string(),
      orders: z.number(),
      mid: z.number().nullable(),
      position: z.object({
        base: z.string(),
        averagePrice: z.string().nullable(),
        dayPnl: z.string().nullable(),
        totalPnl: z.string().nullable(),
        realisedPnl: z.string(),
        unrealisedPnl: z.string().nullable(),
        fees: z.record(z.string(), z.string()),
      }),
      run: z.object({ inventory: z.string(), pnl: z.string().nullable(), fills: z.number() }),
      uptime: z
        .object({ bid: z.number(), ask: z.number(), obligation: z.number().nullable() })
        .nullable(),
      /** By the operator or by risk, with the whole bot or alone; never both. */
      halted: z.boolean(),
      paused: z.boolean(),
      reason: z.object({ BUY: side, SELL: side }),
      risk: z.object({ step: z.string(), reason: z.string() }),
      denied: z.array(z.object({ rule: z.string(), count: z.number(), first: z.string() })),
    }),
  ),
  portfolio: z
    .object({
      currency: z.string().nullable(),
      pnl,
      exposure: z.string().nullable(),
      positions: z.record(z.string(), z.string()),
      pnlByToken: z.record(z.string(), pnl),
    })
    .optional(),
  limits: z
    .array(z.object({ limit: z.string(), of: z.string().nullable(), value: z.string() }))
    .default([]),
  warnings: z.array(z.object({ timeMs: z.number(), text: z.string() })),
});

/** Whether the risk ladder or an operator's halt keeps a strategy from quoting until somebody resumes it. */
function isStopped({ halted, risk }: z.output<typeof botStatus>["strategies"][number]): boolean {
  return halted || risk.step === "pause";
}

export default defineCliCommand({
  summary: "show what a running bot does, and why a side is not quoted",
  details: "Exits with 1 when a strategy is halted, or paused by risk, and when no bot answers.",
  args: { config: asPath(argument("<config>", "YAML file of the running bot")) },
  examples: ["status my-bot.yaml", "status my-bot.yaml --json"],
  async run({ args, overrides, env, terminal }) {
    const response = await askBot(args.config, { request: { command: "status" }, overrides, env });
    const found = botStatus.parse(response.status);
    terminal.emit("status", found);
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
          row.strategy,
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
    for (const { strategy, risk, denied } of found.strategies) {
      if (denied.length > 0) terminal.print(`Denied: ${strategy}: ${denialsText(denied)}`);
      if (risk.step !== "normal") terminal.print(`Risk: ${strategy}: ${risk.step}, ${risk.reason}`);
    }
    if (found.limits.length > 0) {
      terminal.print(`Limits:\n${pairs(found.limits.map(limitRow))}`);
    }
    terminal.print(`Guard: ${found.guard}.`);
    const newest = found.warnings.at(-1);
    if (newest !== undefined) terminal.print(`Newest warning: ${newest.text}`);
    return found.strategies.some(isStopped) ? exitCode.failed : exitCode.done;
  },
});
