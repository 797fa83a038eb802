import { ok } from "../../base/result.ts";
import type { orderTrade as endpoint } from "../../spec/endpoints/order-trade.ts";
import type { Handler } from "../handler.ts";
import { listOf } from "../list-window.ts";
import { wireUserTrade } from "../wire.ts";

export const orderTrade: Handler<typeof endpoint> = (context, query) => {
  const list = listOf(context, query);
  if (!list.ok) return list;
  return ok(context.exchange.userTrades(list.value.address, list.value.filter).map(wireUserTrade));
};
