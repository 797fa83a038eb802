import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { orderListQuery } from "../fields.ts";
import { listLimits } from "../limits.ts";
import { openOrder } from "../resources.ts";
import { list } from "../list.ts";

export const orderOpen = defineEndpoint({
  name: "order-open",
  section: "§4.2",
  summary: "Orders of an address that are NEW or PARTIALLY_FILLED, newest first.",
  method: "GET",
  path: "/api/v1/order/open",
  query: orderListQuery(listLimits.openOrders),
  result: list(openOrder, listLimits.openOrders.max),
  limits: answerLimits(listLimits.openOrders.max),
});
