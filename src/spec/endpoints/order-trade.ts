import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { orderListQuery } from "../fields.ts";
import { listLimits } from "../limits.ts";
import { userTrade } from "../resources.ts";
import { list } from "../list.ts";

export const orderTrade = defineEndpoint({
  name: "order-trade",
  section: "§4.2",
  summary: "Executions of an address, newest first.",
  method: "GET",
  path: "/api/v1/order/trade",
  query: orderListQuery(listLimits.userTrades),
  result: list(userTrade, listLimits.userTrades.max),
  limits: answerLimits(listLimits.userTrades.max),
});
