import type { Trade } from "../domain/depth.ts";
import type { OrderId } from "../domain/ids.ts";
import type { PublicTrade } from "../strategy/view.ts";
import type { KernelState } from "./state.ts";

/** A public trade as strategies see it. */
export function shownTrade({ orders }: KernelState, trade: Trade): PublicTrade {
  const { buyOrderId: bought, sellOrderId: sold } = trade;
  const isOurs = (id: OrderId | undefined): boolean =>
    id !== undefined && orders.byId(id) !== undefined;
  return { ...trade, isOwn: isOurs(bought) || isOurs(sold) };
}
