import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const order = defineEndpoint({
  name: "order",
  section: "§4.4",
  summary: "Places an order; returns its id, the hash of the transaction.",
  method: "POST",
  path: "/api/v1/order",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
