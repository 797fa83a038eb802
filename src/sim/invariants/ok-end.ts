import type { Fill } from "../../domain/order.ts";
import type { Invariant } from "../invariant.ts";

/**
 * What the kernel claims when it ends a run as ok: it has listed the open orders after the last of its own had ended, it has every fill,
 * and no own order is open. The end of the process (`runtime/bot.ts`) looks again and cancels; here the kernel is judged by itself.
 */
export const okEnd: Invariant = {
  name: "ok-end",
  watch({ oracle }) {
    let hasOrdered = false;
    let hasListed = false;
    return {
      runStarts() {
        hasOrdered = false;
        hasListed = false;
      },
      entry({ batch, effects, notes }) {
        if (notes.some((note) => note.type === "order")) hasListed = false;
        hasOrdered ||= batch.inputs.some(({ type }) => type === "signed");
        if (effects.some(({ type }) => type === "openOrders")) hasListed = true;
        const end = effects.find((effect) => effect.type === "finished");
        if (end?.type !== "finished" || !end.ok) return undefined;
        const [live] = [...oracle.orders].find(([, state]) => state === "live") ?? [];
        if (live !== undefined) return `the kernel ended as ok while ${live} had not ended`;
        const [open] = oracle.openAtVenue();
        if (open !== undefined) return `the kernel ended as ok while ${open.orderId} was open`;
        if (hasOrdered && !hasListed) return "the kernel ended as ok without a last list of orders";
        const isKept = ({ orderId }: Pick<Fill, "orderId">): boolean => !oracle.lost.has(orderId);
        const missing =
          oracle.tradesAtVenue().filter(isKept).length - oracle.money.fills.filter(isKept).length;
        return missing === 0 ? undefined : `the kernel ended as ok without ${missing} fills`;
      },
    };
  },
};
