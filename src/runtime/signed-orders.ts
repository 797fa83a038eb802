import { isCommand, makesOrder, type OrderingCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { SignedEntry } from "../journal/entry.ts";
import type { Effect } from "../kernel/effect.ts";

export interface SignedOrder extends Pick<OrderingCommand, "type" | "strategy"> {
  readonly orderId: OrderId;
}

/** The orders among the effects of a step, with the ids of their signed bytes. */
export function signedOrders(
  effects: readonly Effect[],
  signed: readonly SignedEntry[],
): readonly SignedOrder[] {
  return effects.flatMap((effect) => {
    if (!isCommand(effect) || !makesOrder(effect)) return [];
    const { type, strategy, intent } = effect;
    const orderId = signed.find((one) => one.intent === intent)?.txHash;
    return orderId === undefined ? [] : [{ type, strategy, orderId }];
  });
}
