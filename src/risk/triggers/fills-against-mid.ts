import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";
import { roundedShare } from "./taker-share.ts";

/**
 * Σ sign · quantity · (price − mid later) ÷ Σ quantity · price, at least 0: what fills have lost against the mid `after` they
 * happened, before fees.
 */
export const fillsAgainstMid: RiskTrigger = {
  title: "loss of fills against the mid",
  unit: "share",
  summary:
    "What the fills within `window` had lost against the mid `after` they happened, as a share of their value, before fees, once there are `minFills` fills.",
  scopes: ["bot", "strategy"],
  extra: { window: "10m", minFills: 10, after: "5s" },
  value(measured, { windowMs = 0, minFills = 1 }) {
    let count = 0;
    let loss = 0;
    let all = 0;
    for (const { sign, price, value, midLater } of measured.fills(windowMs)) {
      if (midLater === undefined) continue;
      count += 1;
      loss += (sign * value * (price - midLater)) / price;
      all += value;
    }
    if (count < minFills) return undefined;
    return fixedFromNumber(roundedShare(Math.max(0, loss / all)));
  },
};
