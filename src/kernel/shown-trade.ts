import type { Trade } from "../domain/depth.ts";
import type { OrderId } from "../domain/ids.ts";
import type { PublicTrade } from "../strategy/view.ts";
import type { KernelState } from "./state.ts";

/** A public trade as strategies see it. */
export function shownTrade({ orders }: KernelState, trade: Trade): PublicTrade {
  const isOwn = isOurs(orders, trade.buyOrderId) || isOurs(orders, trade.sellOrderId);
  return { ...trade, isOwn };
}

function isOurs(orders: KernelState["orders"], id: OrderId | undefined): boolean {
  return id !== undefined && orders.byId(id) !== undefined;
}
