import type { Trade } from "../domain/depth.ts";
import type { PublicTrade } from "../strategy/view.ts";
import type { KernelState } from "./state.ts";

/** A public trade as strategies see it: all of them get this object, so it is frozen. */
export function shownTrade({ orders }: KernelState, trade: Trade): PublicTrade {
  const isOwn = [trade.buyOrderId, trade.sellOrderId].some(
    (id) => id !== undefined && orders.byId(id) !== undefined,
  );
  return Object.freeze({ ...trade, isOwn });
}
