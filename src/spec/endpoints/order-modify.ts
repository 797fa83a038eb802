import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const orderModify = defineEndpoint({
  name: "order-modify",
  section: "§4.4",
  summary:
    "Cancels an order and places its replacement; returns the replacement's id, the hash of the transaction.",
  method: "POST",
  path: "/api/v1/order/modify",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
