import type { RiskTrigger } from "./trigger.ts";
import { balanceDrift } from "./triggers/balance-drift.ts";
import { clockChange } from "./triggers/clock-change.ts";
import { dayLoss } from "./triggers/day-loss.ts";
import { drawdown } from "./triggers/drawdown.ts";
import { exposure } from "./triggers/exposure.ts";
import { feeSurprise } from "./triggers/fee-surprise.ts";
import { fillsAgainstMid } from "./triggers/fills-against-mid.ts";
import { position } from "./triggers/position.ts";
import { rejects } from "./triggers/rejects.ts";
import { sessionLoss } from "./triggers/session-loss.ts";
import { staleData } from "./triggers/stale-data.ts";
import { strategyFaults } from "./triggers/strategy-faults.ts";
import { takerShare } from "./triggers/taker-share.ts";
import { unknownAge } from "./triggers/unknown-age.ts";
import { unknownOrders } from "./triggers/unknown-orders.ts";

/** Every trigger of the risk ladder, by its key in `risk.triggers`, in the order in which they are shown. */
export const triggers = {
  position,
  exposure,
  sessionLoss,
  dayLoss,
  drawdown,
  rejects,
  takerShare,
  fillsAgainstMid,
  feeSurprise,
  balanceDrift,
  staleData,
  clockChange,
  unknownOrders,
  unknownAge,
  strategyFaults,
} as const satisfies Readonly<Record<string, RiskTrigger>>;

export type TriggerName = keyof typeof triggers;

export const triggerNames = Object.keys(triggers) as readonly TriggerName[];
