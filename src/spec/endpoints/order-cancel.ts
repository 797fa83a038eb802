import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const orderCancel = defineEndpoint({
  name: "order-cancel",
  section: "§4.4",
  summary: "Cancels one order; returns the hash of the cancel transaction.",
  method: "POST",
  path: "/api/v1/order/cancel",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
