import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const takerShare: RiskTrigger = {
  title: "taker share of quote fills",
  unit: "share",
  max: 1,
  summary:
    "Share of the value filled by quotes within `window` that took liquidity instead of resting, once there are `minFills` fills. Stop orders and legs do not count.",
  scopes: ["bot", "strategy"],
  extra: { window: "10m", minFills: 10 },
  value(measured, { windowMs = 0, minFills = 1 }) {
    const quotes = measured.fills(windowMs).filter(({ isQuote }) => isQuote);
    if (quotes.length < minFills) return undefined;
    let taken = 0;
    let all = 0;
    for (const { isMaker, value } of quotes) {
      all += value;
      if (!isMaker) taken += value;
    }
    return fixedFromNumber(roundedShare(taken / all));
  },
};

/** Twelve decimals: a share is a ratio of amounts, so it is not exact. */
export function roundedShare(value: number): number {
  return Number(value.toFixed(12));
}
