import { fixed } from "../../src/domain/fixed.ts";
import type { Measured } from "../../src/risk/measured.ts";

/** The numbers of a bot to which nothing has happened. */
export const calm: Measured = {
  position: fixed("0"),
  exposure: fixed("0"),
  sessionPnl: fixed("0"),
  dayPnl: fixed("0"),
  drawdown: fixed("0"),
  balanceDrift: fixed("0"),
  rejects: () => 0,
  fills: () => [],
  staleMs: 0,
  clockChangeMs: () => 0,
  unknownOrders: 0,
  unknownMs: 0,
  strategyFaults: 0,
};
