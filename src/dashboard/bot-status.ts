import { z } from "zod";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";

/** What a running bot says of itself to `touchline status` and over HTTP: the page's data without books, lists and charts. */
export interface BotStatus
  extends Pick<DashboardSnapshot, "guard" | "limits" | "nets" | "sources" | "warnings"> {
  readonly pid: number;
  readonly strategies: readonly StrategyStatus[];
  /** Left out while the bot starts. */
  readonly portfolio?: DashboardSnapshot["portfolio"];
}

export interface StrategyStatus
  extends Pick<
    StrategyPanelSnapshot,
    "strategy" | "name" | "position" | "uptime" | "reason" | "risk" | "denied" | "described"
  > {
  readonly market: string;
  readonly book: StrategyPanelSnapshot["book"]["state"];
  readonly mid: number | null;
  readonly orders: number;
  readonly run: StrategyPanelSnapshot["run"] & { readonly fills: number };
  /** By the operator or by risk, with the whole bot or alone; never both. */
  readonly halted: boolean;
  readonly paused: boolean;
}

/** A bot's answer, which comes from a process of the same user. */
export const botStatus = z.custom<BotStatus>(
  (answer) => typeof answer === "object" && answer !== null,
);

export function statusOf(snapshot: DashboardSnapshot): BotStatus {
  const { panels, portfolio, nets, guard, limits, sources, warnings } = snapshot;
  return {
    pid: process.pid,
    guard,
    strategies: panels.map((panel) => {
      const { strategy, name, position, uptime, reason, risk, denied, described } = panel;
      return {
        strategy,
        name,
        market: panel.marketId,
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
    strategies: [],
    nets: [],
    limits: [],
    sources: [],
    warnings,
  };
}
