import type { OrderingCommand } from "../domain/command.ts";
import { isCommand, makesOrder } from "../domain/command.ts";
import { fixedText, ZERO } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { opposite } from "../domain/side.ts";
import type { RestoredOrder } from "../kernel/input.ts";
import type { BatchEntry } from "./entry.ts";

const NOTHING = fixedText(ZERO);

/** The orders that a batch makes ours: those of its signed commands, including legs, and those that it adopts. */
export function placedOrders({
  effects,
  signed,
}: Pick<BatchEntry, "effects" | "signed">): readonly RestoredOrder[] {
  const orders: RestoredOrder[] = [];
  for (const effect of effects) {
    if (effect.type === "adopt") orders.push(effect.order);
    if (!isCommand(effect) || !makesOrder(effect)) continue;
    const bytes = signed.find(({ intent }) => intent === effect.intent);
    if (bytes !== undefined) addSaved(orders, effect, bytes.txHash);
  }
  return orders;
}

/** Adds the orders that a signed command makes, as they are before the venue reports anything about them. */
function addSaved(orders: RestoredOrder[], command: OrderingCommand, orderId: OrderId): void {
  const { nonce, strategy, marketId, side } = command;
  const isModify = command.type === "modify";
  const key = command.type === "stop" ? undefined : command.key;
  const order: RestoredOrder = {
    orderId,
    nonce,
    strategy,
    marketId,
    side,
    price: isModify ? command.newPrice : command.price,
    quantity: fixedText(isModify ? command.newQty : command.quantity),
    executed: NOTHING,
    tradeIds: [],
    ...(key === undefined ? {} : { key }),
  };
  if (command.type === "stop") {
    const { name, kind, stopPrice } = command;
    orders.push({ ...order, stop: { name, kind, stopPrice } });
    return;
  }
  const { tpsl, take } = isModify ? {} : command;
  if (tpsl === undefined) {
    orders.push(take === undefined ? order : { ...order, take });
    return;
  }
  const { takeProfit, stopLoss } = legIdsOf(orderId);
  const { tpLimit, slTrigger: stopPrice, slLimit = 0 } = tpsl;
  const leg = { ...order, side: opposite(side) };
  orders.push(
    { ...order, tpsl },
    { ...leg, orderId: takeProfit, price: tpLimit, leg: { of: orderId, kind: "takeProfit" } },
    {
      ...leg,
      orderId: stopLoss,
      price: slLimit,
      leg: { of: orderId, kind: "stopLoss", stopPrice },
    },
  );
}
