import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";

/** Uptime counts from this long after the start of a run, as in metrics/uptime.ts. */
const GRACE_MS = 3_000;
/** Times between ticks and messages under way, and a user channel whose lag is noticed only after seconds. */
const SLACK_MS = 12_000;
/** Of the measured time. */
const SLACK_SHARE = 0.1;

/** With it the venue acknowledges orders that do not rest. */
const NOT_JUDGED = "orders-later";

/** The summary claims no more uptime than the venue's book shows. */
export const uptime: Invariant = {
  name: "uptime",
  isOfMaker: true,
  watch({ scenario, oracle, elapsedMs, runStartedMs, isStopping, summaryOf }) {
    const isExcused = scenario.faults.some(({ name }) => name === NOT_JUDGED);
    let lastMs = 0;
    const upMs: Record<Side, number> = { BUY: 0, SELL: 0 };
    return {
      runStarts() {
        lastMs = elapsedMs();
        upMs.BUY = 0;
        upMs.SELL = 0;
      },
      tick() {
        // The summary's time ends with the signal to stop.
        if (isStopping()) return undefined;
        const nowMs = elapsedMs();
        const fromMs = Math.max(lastMs, runStartedMs() + GRACE_MS);
        lastMs = nowMs;
        if (nowMs <= fromMs) return undefined;
        const open = oracle.openAtVenue();
        for (const side of ["BUY", "SELL"] as const) {
          if (open.some((order) => order.side === side)) upMs[side] += nowMs - fromMs;
        }
        return undefined;
      },
      stopped({ summary }) {
        const measuredMs = lastMs - runStartedMs() - GRACE_MS;
        if (isExcused || measuredMs <= SLACK_MS) return undefined;
        const claims = summaryOf(summary).flatMap(({ uptimeBid, uptimeAsk }) => [
          ["BUY", uptimeBid ?? 0] as const,
          ["SELL", uptimeAsk ?? 0] as const,
        ]);
        for (const [side, claimed] of claims) {
          const surplusMs = claimed * measuredMs - upMs[side];
          oracle.lasted("uptime claimed too much", Math.max(0, surplusMs));
          if (surplusMs > SLACK_MS + SLACK_SHARE * measuredMs) {
            return `the summary claims ${claimed} of ${Math.round(measuredMs)} ms on ${side}, an order rested for ${Math.round(upMs[side])} ms`;
          }
        }
        return undefined;
      },
    };
  },
};
