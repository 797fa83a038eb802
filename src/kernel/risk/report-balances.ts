import type { Balance } from "../../domain/order.ts";
import type { KernelState } from "../state.ts";
import { doubt } from "../impossible/left-markets.ts";

/** Wait before balances are read again after a report of an old block, so that a cache has time to expire. */
const AGAIN_MS = 1_000;

/** A report of the balances, requested at `queriedMs`. One of an earlier block than the last one is asked for again. */
export function reportBalances(
  state: KernelState,
  report: { readonly balances: readonly Balance[]; readonly blockNumber: number },
  queriedMs: number,
): void {
  const { balances, nowMs } = state;
  const { blockNumber } = balances;
  if (balances.report(report.balances, report.blockNumber, queriedMs)) {
    if (blockNumber !== undefined && report.blockNumber < blockNumber) {
      const text = `only reports of the balances of blocks before ${blockNumber} have come for long enough: the venue counts as restarted from scratch, and that of block ${report.blockNumber} is used`;
      doubt(state, "BALANCES_OLD", undefined, text);
    }
    state.facts?.balances.fresh.proven(queriedMs);
    return;
  }
  const text = `a report of the balances is of block ${report.blockNumber}, although an earlier one was of block ${blockNumber}: it is not used, and the balances are read again`;
  doubt(state, "BALANCES_OLD", undefined, text);
  state.reads.want({ type: "balances" }, nowMs + AGAIN_MS, { again: true });
}
