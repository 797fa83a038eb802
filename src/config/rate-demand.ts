import { counted } from "../base/counted.ts";
import type { BotConfig } from "./load-bot-config.ts";

/** The most that the quotes of a bot's strategies can ask of its rate budget. */
export interface RateDemand {
  readonly quotes: number;
  /** Requests a second when each refresh moves every quote. */
  readonly perSecond: number;
}

type Settings = Pick<BotConfig, "strategies" | "execution" | "rateLimit" | "risk">;

/** Of the strategies that say what they want (`StrategyDefinition.demand`). */
export function rateDemand({ strategies, execution }: Settings): RateDemand {
  // Without modifies a quote is moved by a cancel and a placement.
  const requests = execution.useModify ? 1 : 2;
  let quotes = 0;
  let perSecond = 0;
  for (const { definition, params } of strategies) {
    const demand = definition.demand?.({ params });
    if (demand === undefined) continue;
    quotes += demand.quotes;
    perSecond += (requests * demand.quotes * 1_000) / demand.refreshMs;
  }
  return { quotes, perSecond: Math.ceil(perSecond) };
}

/** Warnings about quotes that wait for the rate budget, or that `risk.maxOpenOrders` denies. */
export function demandWarnings(settings: Settings): readonly string[] {
  const { quotes, perSecond } = rateDemand(settings);
  const { rateLimit, risk } = settings;
  const warnings: string[] = [];
  if (perSecond > rateLimit.perSecond) {
    warnings.push(
      `to move ${counted(quotes, "quote")} at each refresh takes up to ${perSecond} requests a second, and rateLimit.perSecond allows ${rateLimit.perSecond}: quotes may wait longer than their refresh. Raise the limit if the venue allows it, or set a longer refresh, a wider tolerance or fewer levels.`,
    );
  }
  if (risk.maxOpenOrders !== null && quotes > risk.maxOpenOrders) {
    warnings.push(
      `the strategies want up to ${counted(quotes, "quote")}, and risk.maxOpenOrders allows ${risk.maxOpenOrders} orders: the others are never placed.`,
    );
  }
  return warnings;
}
