import { z } from "zod";
import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { orderListQuery } from "../fields.ts";
import { listLimits } from "../limits.ts";
import { userTrade } from "../resources.ts";

export const orderTrade = defineEndpoint({
  name: "order-trade",
  section: "§4.2",
  summary: "Executions of an address, newest first.",
  method: "GET",
  path: "/api/v1/order/trade",
  query: orderListQuery(listLimits.userTrades),
  result: z.array(userTrade).max(listLimits.userTrades.max),
  limits: answerLimits(listLimits.userTrades.max),
});
