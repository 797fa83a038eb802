import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";
import { roundedShare } from "./taker-share.ts";

export const feeSurprise: RiskTrigger = {
  title: "fee beyond the market's rate",
  unit: "share",
  summary:
    "Largest fee of a fill within `window` beyond the rate that the venue publishes for the market, as a share of what was received. Fees in a token that the market does not trade do not count.",
  scopes: ["bot", "strategy"],
  extra: { window: "1h" },
  value(measured, { windowMs = 0 }) {
    let most = 0;
    for (const { feeExcess } of measured.fills(windowMs)) most = Math.max(most, feeExcess ?? 0);
    return fixedFromNumber(roundedShare(most));
  },
};
