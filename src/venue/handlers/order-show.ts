import { ok } from "../../base/result.ts";
import { orderId } from "../../domain/ids.ts";
import type { orderShow as endpoint } from "../../spec/endpoints/order-show.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";
import { wireOrder } from "../wire.ts";

export const orderShow: Handler<typeof endpoint> = ({ exchange }, query) => {
  const id = orderId(query.orderId);
  const order = id === undefined ? undefined : exchange.order(id);
  return order === undefined
    ? failure(404, `There is no order ${query.orderId}.`)
    : ok(wireOrder(order));
};
