import { addFixed, fixedText, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { isTerminal } from "../../domain/order.ts";
import type { Invariant } from "../invariant.ts";

/** News of a leg's end, and a question when it is lost, take so long. */
const SETTLE_MS = 5_000;

/**
 * 12. Legs of take-profit/stop-loss orders, waiting ones too: those that live at the venue are those that live for the bot, and
 * they have executed what the bot booked.
 */
export const sameLegs: Invariant = {
  name: "same-legs",
  watch({ oracle, elapsedMs }) {
    const since = new Map<OrderId, number>();
    const isLiveAtVenue = (id: OrderId): boolean => {
      const order = oracle.exchange.order(id);
      return order !== undefined && !isTerminal(order.status);
    };
    const differs = (id: OrderId): boolean =>
      isLiveAtVenue(id) !== (oracle.orders.get(id) === "live");
    const sentence = (id: OrderId): string =>
      `leg ${id} is ${oracle.exchange.order(id)?.status ?? "not there"} at the venue, ${oracle.orders.get(id)} for the bot`;
    return {
      tick() {
        for (const id of oracle.legs) {
          if (!differs(id)) since.delete(id);
          else if (!since.has(id)) since.set(id, elapsedMs());
        }
        return undefined;
      },
      healed() {
        for (const [id, sinceMs] of since) {
          if (differs(id) && elapsedMs() - sinceMs > SETTLE_MS) return sentence(id);
        }
        return undefined;
      },
      ended({ ok }) {
        if (!ok) return undefined;
        const booked = new Map<OrderId, Fixed>();
        for (const { orderId, quantity } of oracle.legFills) {
          booked.set(orderId, addFixed(booked.get(orderId) ?? ZERO, quantity));
        }
        for (const id of oracle.legs) {
          if (differs(id)) return sentence(id);
          const order = oracle.exchange.order(id);
          // A venue that started anew knows nothing of what was before.
          if (order === undefined) continue;
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
