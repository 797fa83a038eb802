import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const withdraw = defineEndpoint({
  name: "withdraw",
  section: "§4.1",
  summary: "Withdraws a token to layer 1; returns the hash of the transaction.",
  method: "POST",
  path: "/api/v1/wallet/withdraw",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
