import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/** 3. Liveness: once the faults are over, what the bot holds for live is open at the venue, or on its way. */
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
      healed() {
        const open = new Set(oracle.openAtVenue().map(({ orderId }) => orderId));
        for (const [orderId, sinceMs] of since) {
          if (
            oracle.orders.get(orderId) === "live" &&
            !open.has(orderId) &&
            // A leg that waits stands in no list of open orders.
            oracle.exchange.order(orderId)?.status !== "PENDING_NEW" &&
            elapsedMs() - sinceMs > 5_000
          ) {
            return `${orderId} is held for live for ${Math.round(elapsedMs() - sinceMs)} ms and is ${oracle.exchange.order(orderId)?.status ?? "not there"} at the venue`;
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
