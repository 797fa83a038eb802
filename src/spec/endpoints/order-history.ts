import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { orderListQuery } from "../fields.ts";
import { listLimits } from "../limits.ts";
import { order } from "../resources.ts";
import { list } from "../list.ts";

export const orderHistory = defineEndpoint({
  name: "order-history",
  section: "§4.2",
  summary: "Filled, canceled and rejected orders of an address, newest first.",
  method: "GET",
  path: "/api/v1/order",
  query: orderListQuery(listLimits.orderHistory),
  result: list(order, listLimits.orderHistory.max),
  limits: answerLimits(listLimits.orderHistory.max),
});
