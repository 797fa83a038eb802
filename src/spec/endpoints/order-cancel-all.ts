import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const orderCancelAll = defineEndpoint({
  name: "order-cancel-all",
  section: "§4.4",
  summary: "Cancels all orders of an address; returns the hash of the transaction.",
  method: "POST",
  path: "/api/v1/order/cancel/all",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
