import type { Invariant } from "../invariant.ts";

/** What a fault left on its way has arrived by then. */
const AFTERMATH_MS = 15_000;

/**
 * 6. The venue rejects nothing in calm weather. Under faults a fill may be known before the balance that it left, and an order
 * for the same money be refused: rarely, though a stream
 * that comes a second late brings several in a row.
 */
export const noRejections: Invariant = {
  name: "no-rejections",
  watch({ oracle, elapsedMs }) {
    const rejected = (): number => oracle.reached.get("order REJECTED") ?? 0;
    let calmMs = Number.POSITIVE_INFINITY;
    let before: number | undefined;
    return {
      calm() {
        calmMs = elapsedMs();
        const placed = oracle.reached.get("effect place") ?? 0;
        const isRare = rejected() <= 3 + placed / 50;
        return isRare ? undefined : `${rejected()} of ${placed} orders were rejected`;
      },
      tick() {
        if (elapsedMs() > calmMs + AFTERMATH_MS) before ??= rejected();
        return undefined;
      },
      ended() {
        const count = rejected() - (before ?? rejected());
        return count === 0 ? undefined : `${count} orders were rejected without a fault`;
      },
    };
  },
};
