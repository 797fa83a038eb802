import { makesOrder, isCommand } from "../../domain/command.ts";
import { addFixed, fixedText, subFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";

interface Placed {
  /** Of the strategy and the take. */
  readonly name: string;
  readonly side: Side;
  readonly quantity: Fixed;
}

const isWork = (name: string): boolean => name.endsWith(` ${WORK_TO}`);

/** The name that all clips of `workTo` share. */
const WORK_TO = "workTo";

/**
 * At the venue no take trades more than it was sent for, and no name trades with two orders, over all processes of the bot. The clips of
 * `workTo` share a name: with those that may still trade, a clip leads no further than to the position that is worked to. Where the disk
 * lost a part of the journal, what it had of names is lost as well.
 */
export const takes: Invariant = {
  name: "takes",
  watch({ oracle, recentlyWanted }) {
    /** Orders by strategy and name, with their sizes. */
    const orders = new Map<string, Map<OrderId, Fixed>>();
    /** Placements whose hash is not known yet. */
    const placed = new Map<number, Placed>();
    /** `earlier`: the clips before it, with their sizes. */
    const beyond = (
      txHash: OrderId,
      { name, side, quantity }: Placed,
      earlier: ReadonlyMap<OrderId, Fixed>,
    ): string | undefined => {
      if (oracle.hasJournalGap) return undefined;
      const trades = oracle.tradesAtVenue().filter(({ orderId }) => orderId !== txHash);
      let after = oracle.changeBy(trades, oracle.market.baseToken);
      const add = side === "BUY" ? addFixed : subFixed;
      for (const [orderId, size] of earlier) {
        if (oracle.orders.get(orderId) !== "live") continue;
        after = add(after, subFixed(size, oracle.exchange.order(orderId)?.executedQty ?? ZERO));
      }
      after = add(after, quantity);
      const targets = recentlyWanted().flatMap(({ workTo }) => workTo ?? []);
      const isWithin = (target: Fixed): boolean =>
        side === "BUY" ? after <= target : after >= target;
      return targets.length === 0 || targets.some(isWithin)
        ? undefined
        : `a clip of "${name}" leads to ${fixedText(after)}, beyond ${targets.map(fixedText).join(" and ")}`;
    };
    const problem = (): string | undefined => {
      if (oracle.hasJournalGap || orders.size === 0) return undefined;
      const executed = new Map<OrderId, Fixed>();
      for (const { orderId, quantity } of oracle.tradesAtVenue()) {
        executed.set(orderId, addFixed(executed.get(orderId) ?? ZERO, quantity));
      }
      for (const [name, sizes] of orders) {
        const traded = [...sizes].filter(([orderId]) => executed.has(orderId));
        if (traded.length > 1 && !isWork(name))
          return `${traded.length} orders of "${name}" traded`;
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
          const found = isWork(take.name) ? beyond(input.txHash, take, sizes) : undefined;
          if (found !== undefined) return found;
          orders.set(take.name, sizes.set(input.txHash, take.quantity));
        }
        for (const effect of effects) {
          if (!isCommand(effect) || !makesOrder(effect) || effect.type !== "place") continue;
          if (effect.take === undefined) continue;
          const { intent, strategy, take, side, quantity } = effect;
          placed.set(intent, { name: `${strategy} ${take.name}`, side, quantity });
        }
        return undefined;
      },
      recovered: problem,
      ended: problem,
    };
  },
};
