import { ok } from "../../base/result.ts";
import type { orderOpen as endpoint } from "../../spec/endpoints/order-open.ts";
import type { Handler } from "../handler.ts";
import { listOf } from "../list-window.ts";
import { wireOrder } from "../wire.ts";

export const orderOpen: Handler<typeof endpoint> = (context, query) => {
  const list = listOf(context, query);
  if (!list.ok) return list;
  return ok(context.exchange.openOrders(list.value.address, list.value.filter).map(wireOrder));
};
