import { BalanceLedger } from "../../orders/balance-ledger.ts";
import type { KernelConfig } from "../config.ts";

/** Undefined when balances are not compared. */
export function makeLedger({
  timing,
  markets,
  transfersExplainOnce = false,
  transfersInRuns = false,
  transfersWithFills = false,
  explainsDriftInParts = false,
  doubtsOpenBlock = false,
  waitsForListedFills = false,
  redatesByEvents = false,
  disprovesRestarts = false,
  followsRestarts = false,
}: KernelConfig): BalanceLedger | undefined {
  const { driftMs } = timing;
  if (driftMs === Number.POSITIVE_INFINITY) return undefined;
  return new BalanceLedger(driftMs, {
    transfersExplainOnce,
    transfersInRuns,
    transfersWithFills,
    explainsDriftInParts,
    doubtsOpenBlock,
    waitsForListedFills,
    redatesByEvents,
    disprovesRestarts,
    followsRestarts,
    ownTokens: new Set(markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken])),
  });
}
