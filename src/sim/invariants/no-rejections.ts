import type { OrderId } from "../../domain/ids.ts";
import { USER_CHANNEL_SILENT } from "../faults.ts";
import type { Invariant } from "../invariant.ts";

/** How long after the last fault its delayed effects may arrive. */
const AFTERMATH_MS = 15_000;

/** What the coverage counts when the venue accepted an order, carried it out later and then rejected it. */
export const REJECTED_LATE = "order rejected late";

/**
 * Without faults the venue rejects no order. Under faults the bot may see a fill before the matching balance and have an order
 * for the same funds rejected. That is rare, though a stream that lags by a second causes several in a row.
 * A run after a power cut may report rejections that the journal lost again, so each order counts once.
 * An order that was sent before the faults had ended may arrive up to a minute later, so it is none of those without faults.
 * An order that the venue carries out later does not count: a cancel that came before it had no effect, so its replacement lacks the funds.
 * An order does not count either when its cancel was sent before the order reached the venue.
 */
export const noRejections: Invariant = {
  name: "no-rejections",
  isOfBot: true,
  watch({ scenario, oracle, sent, elapsedMs, faultsEndedMs }) {
    const isSilent = scenario.faults.some(({ name }) => name === USER_CHANNEL_SILENT);
    /** Quotes that the bot reported as rejected, over all runs. */
    const rejected = new Set<OrderId>();
    /** Orders that do not count, for the reasons above. */
    const excused = new Set<OrderId>();
    /** Sent before the aftermath of the last fault was over. */
    const early = new Set<OrderId>();
    return {
      entry({ notes }) {
        for (const note of notes) {
          if (note.type !== "order") continue;
          const { orderId, role, status } = note.order;
          if (orderId !== undefined && role === "quote" && status === "REJECTED") {
            rejected.add(orderId);
          }
        }
        return undefined;
      },
      faultsEnded() {
        const placed = oracle.reached.get("effect place") ?? 0;
        const late = oracle.reached.get(REJECTED_LATE) ?? 0;
        // One order may be in both numbers.
        const uncounted = Math.max(late, [...rejected].filter((id) => excused.has(id)).length);
        const inTime = rejected.size - uncounted;
        // Without user events the balances are as old as their newest list.
        return inTime <= 3 + placed / (isSilent ? 8 : 50)
          ? undefined
          : `${inTime} of ${placed} orders were rejected`;
      },
      request(transaction) {
        if (transaction === undefined) return undefined;
        const { command, hash } = transaction;
        if (elapsedMs() <= faultsEndedMs() + AFTERMATH_MS) early.add(hash);
        if (command.type === "cancel" && sent.isUnderWay(command.orderId)) {
          excused.add(command.orderId);
        }
        return undefined;
      },
      ended() {
        if (isSilent) return undefined;
        const count = [...rejected].filter((orderId) => !early.has(orderId)).length;
        return count === 0 ? undefined : `${count} orders were rejected without a fault`;
      },
    };
  },
};
