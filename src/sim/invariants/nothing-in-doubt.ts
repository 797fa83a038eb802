import type { OrderId } from "../../domain/ids.ts";
import { USER_CHANNEL_SILENT } from "../faults.ts";
import type { Invariant } from "../invariant.ts";
import { NONCE_WINDOW_MS } from "../sent-commands.ts";

/** After that the next query proves that the order was never placed: the longest time between two, and the doubt about the clock. */
const PROOF_MS = 15_000;
/** The event of an order's end is under way for no longer than this, and a list that shows it where no events come. */
const EVENT_MS = 1_000;
const LIST_MS = 5_000;

/**
 * Liveness: once the faults are over, every live order of the bot is open at the venue, or the venue may still take its command. That lasts
 * longer where the venue's clock went back.
 */
export const nothingInDoubt: Invariant = {
  name: "nothing-in-doubt",
  watch({ scenario, oracle, elapsedMs, faultsEndedMs, venueNowMs }) {
    const isSilent = scenario.faults.some(({ name }) => name === USER_CHANNEL_SILENT);
    const since = new Map<OrderId, number>();
    /** An order whose request the faults took may still be placed. */
    const mayLand = (orderId: OrderId): boolean => {
      const nonce = oracle.nonces.get(orderId);
      const isKnown = oracle.exchange.orderStatus(orderId) !== undefined;
      return nonce !== undefined && !isKnown && venueNowMs() <= nonce + NONCE_WINDOW_MS + PROOF_MS;
    };
    const hasJustEnded = (orderId: OrderId): boolean => {
      const endedMs = oracle.exchange.order(orderId)?.updatedAtMs ?? Number.NEGATIVE_INFINITY;
      return endedMs <= venueNowMs() && venueNowMs() - endedMs <= (isSilent ? LIST_MS : EVENT_MS);
    };
    return {
      tick() {
        const nowMs = elapsedMs();
        for (const [orderId, state] of oracle.orders) {
          if (state === "ended") since.delete(orderId);
          else if (!since.has(orderId)) since.set(orderId, nowMs);
        }
        return undefined;
      },
      recovered() {
        const open = new Set(oracle.openAtVenue().map(({ orderId }) => orderId));
        for (const [orderId, sinceMs] of since) {
          if (
            oracle.orders.get(orderId) === "live" &&
            !open.has(orderId) &&
            !hasJustEnded(orderId) &&
            !(sinceMs <= faultsEndedMs() && mayLand(orderId)) &&
            // A waiting leg is in no list of open orders.
            oracle.exchange.orderStatus(orderId) !== "PENDING_NEW" &&
            elapsedMs() - sinceMs > 5_000
          ) {
            return `${orderId} has been live in the bot for ${Math.round(elapsedMs() - sinceMs)} ms but is ${oracle.exchange.orderStatus(orderId) ?? "missing"} at the venue`;
          }
        }
        return undefined;
      },
      ended({ ok }) {
        if (!ok) return undefined;
        const live = [...oracle.orders].find(([, state]) => state === "live");
        return live === undefined ? undefined : `${live[0]} never ended`;
      },
    };
  },
};
