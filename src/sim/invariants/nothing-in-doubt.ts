import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/** Liveness: once the faults are over, every live order of the bot is open at the venue or in flight. */
export const nothingInDoubt: Invariant = {
  name: "nothing-in-doubt",
  watch({ oracle, elapsedMs }) {
    const since = new Map<OrderId, number>();
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
            // A waiting leg is in no list of open orders.
            oracle.exchange.order(orderId)?.status !== "PENDING_NEW" &&
            elapsedMs() - sinceMs > 5_000
          ) {
            return `${orderId} has been live in the bot for ${Math.round(elapsedMs() - sinceMs)} ms but is ${oracle.exchange.order(orderId)?.status ?? "missing"} at the venue`;
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
