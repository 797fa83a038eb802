import { ok } from "../../base/result.ts";
import type { orderHistory as endpoint } from "../../spec/endpoints/order-history.ts";
import type { Handler } from "../handler.ts";
import { listOf } from "../list-window.ts";
import { wireOrder } from "../wire.ts";

export const orderHistory: Handler<typeof endpoint> = (context, query) => {
  const list = listOf(context, query);
  if (!list.ok) return list;
  return ok(context.exchange.endedOrders(list.value.address, list.value.filter).map(wireOrder));
};
