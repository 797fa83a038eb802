import { makesOrder, isCommand } from "../../domain/command.ts";
import { addFixed, fixedText, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/**
 * At the venue no name of a take trades with two orders, over all processes of the bot, and none trades more than it was sent for. Where
 * the disk lost a part of the journal, what it had of names is lost as well.
 */
export const takes: Invariant = {
  name: "takes",
  watch({ oracle }) {
    /** Orders by strategy and name, with their sizes. */
    const orders = new Map<string, Map<OrderId, Fixed>>();
    /** Placements whose hash is not known yet. */
    const placed = new Map<number, { readonly name: string; readonly quantity: Fixed }>();
    const problem = (): string | undefined => {
      if (oracle.hasJournalGap || orders.size === 0) return undefined;
      const executed = new Map<OrderId, Fixed>();
      for (const { orderId, quantity } of oracle.tradesAtVenue()) {
        executed.set(orderId, addFixed(executed.get(orderId) ?? ZERO, quantity));
      }
      for (const [name, sizes] of orders) {
        const traded = [...sizes].filter(([orderId]) => executed.has(orderId));
        if (traded.length > 1) return `${traded.length} orders of "${name}" traded`;
        for (const [orderId, size] of traded) {
          const base = executed.get(orderId) ?? ZERO;
          if (base > size) return `"${name}" traded ${fixedText(base)} of ${fixedText(size)}`;
        }
      }
      return undefined;
    };
    return {
      runStarts() {
        placed.clear();
      },
      entry({ batch, effects }) {
        for (const input of batch.inputs) {
          if (input.type !== "signed") continue;
          const take = placed.get(input.intent);
          if (take === undefined) continue;
          placed.delete(input.intent);
          const sizes = orders.get(take.name) ?? new Map<OrderId, Fixed>();
          orders.set(take.name, sizes.set(input.txHash, take.quantity));
        }
        for (const effect of effects) {
          if (!isCommand(effect) || !makesOrder(effect) || effect.type !== "place") continue;
          if (effect.take === undefined) continue;
          const name = `${effect.strategy} ${effect.take.name}`;
          placed.set(effect.intent, { name, quantity: effect.quantity });
        }
        return undefined;
      },
      recovered: problem,
      ended: problem,
    };
  },
};
