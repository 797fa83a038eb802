import type { Invariant } from "../invariant.ts";

/** How long after the last fault its delayed effects may arrive. */
const AFTERMATH_MS = 15_000;

/**
 * Without faults the venue rejects no order. Under faults the bot may see a fill before the matching balance and have an order
 * for the same funds rejected. That is rare, though a stream that lags by a second causes several in a row.
 */
export const noRejections: Invariant = {
  name: "no-rejections",
  isOfBot: true,
  watch({ oracle, elapsedMs }) {
    const rejected = (): number => oracle.reached.get("order REJECTED") ?? 0;
    let faultsEndedMs = Number.POSITIVE_INFINITY;
    let before: number | undefined;
    return {
      faultsEnded() {
        faultsEndedMs = elapsedMs();
        const placed = oracle.reached.get("effect place") ?? 0;
        const isRare = rejected() <= 3 + placed / 50;
        return isRare ? undefined : `${rejected()} of ${placed} orders were rejected`;
      },
      tick() {
        if (elapsedMs() > faultsEndedMs + AFTERMATH_MS) before ??= rejected();
        return undefined;
      },
      ended() {
        const count = rejected() - (before ?? rejected());
        return count === 0 ? undefined : `${count} orders were rejected without a fault`;
      },
    };
  },
};
