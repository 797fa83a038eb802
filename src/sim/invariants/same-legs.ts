import { addFixed, fixedText, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { isTerminal } from "../../domain/order.ts";
import type { Invariant } from "../invariant.ts";

/** Time for the end of a leg to be reported, or to be queried if the report was lost. */
const SETTLE_MS = 5_000;

/**
 * Legs of take-profit/stop-loss orders, including waiting ones, are live in the bot exactly while they are live at the venue, and
 * executed what the bot has booked.
 */
export const sameLegs: Invariant = {
  name: "same-legs",
  watch({ oracle, elapsedMs }) {
    const since = new Map<OrderId, number>();
    const isLiveAtVenue = (id: OrderId): boolean => {
      const status = oracle.exchange.orderStatus(id);
      return status !== undefined && !isTerminal(status);
    };
    const differs = (id: OrderId): boolean =>
      isLiveAtVenue(id) !== (oracle.orders.get(id) === "live");
    const sentence = (id: OrderId): string =>
      `leg ${id} is ${oracle.exchange.orderStatus(id) ?? "missing"} at the venue, ${oracle.orders.get(id)} in the bot`;
    return {
      tick() {
        for (const id of oracle.legs) {
          if (!differs(id)) since.delete(id);
          else if (!since.has(id)) since.set(id, elapsedMs());
        }
        return undefined;
      },
      recovered() {
        for (const [id, sinceMs] of since) {
          if (differs(id) && elapsedMs() - sinceMs > SETTLE_MS) return sentence(id);
        }
        return undefined;
      },
      ended({ ok }) {
        if (!ok) return undefined;
        const booked = new Map<OrderId, Fixed>();
        for (const { orderId, quantity } of oracle.money.fills) {
          booked.set(orderId, addFixed(booked.get(orderId) ?? ZERO, quantity));
        }
        for (const id of oracle.legs) {
          if (differs(id)) return sentence(id);
          const order = oracle.exchange.order(id);
          // The bot does not know what those filled that the disk lost.
          if (order === undefined || oracle.lost.has(id)) continue;
          const executed = order.executedQty;
          const known = booked.get(id) ?? ZERO;
          if (executed !== known) {
            return `leg ${id} executed ${fixedText(executed)}, booked are ${fixedText(known)}`;
          }
        }
        return undefined;
      },
    };
  },
};
