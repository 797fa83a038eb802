import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const orderTrigger = defineEndpoint({
  name: "order-trigger",
  section: "§4.4",
  summary: "Places a stop order; returns its id, the hash of the transaction.",
  method: "POST",
  path: "/api/v1/order/trigger",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
