import { z } from "zod";
import type { BotStatus } from "./api-schema.ts";
import { judged } from "./overview.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

/** A bot's answer, which comes from a process of the same user. */
export const botStatus = z.custom<BotStatus>(
  (answer) => typeof answer === "object" && answer !== null,
);

/** What a running bot says of itself to `touchline status` and over HTTP: the page's data without books, lists and charts. */
export function statusOf(snapshot: DashboardSnapshot): BotStatus {
  const { panels, portfolio, nets, guard, limits, sources, warnings } = snapshot;
  const { rows, problems } = judged(snapshot, 0);
  return {
    pid: process.pid,
    guard,
    problems,
    strategies: panels.map((panel, at) => {
      const { strategy, name, position, uptime, reason, risk, denied, described } = panel;
      return {
        strategy,
        name,
        market: panel.marketId,
        state: rows[at]?.state ?? "stale",
        book: panel.book.state,
        orders: panel.orders.length,
        mid: panel.book.mid,
        position,
        run: { ...panel.run, fills: panel.counts.fills },
        uptime,
        halted: panel.standstill === "halted",
        paused: panel.standstill === "paused",
        reason,
        risk,
        denied,
        described,
      };
    }),
    portfolio,
    nets,
    limits,
    sources,
    warnings: warnings.slice(-10),
  };
}

/** The status of a bot that has not made its first step. */
export function startingStatus(nowMs: number): BotStatus {
  const warnings = [{ timeMs: nowMs, text: "the bot is still starting" }];
  return {
    pid: process.pid,
    guard: "none",
    problems: [],
    strategies: [],
    nets: [],
    limits: [],
    sources: [],
    warnings,
  };
}
