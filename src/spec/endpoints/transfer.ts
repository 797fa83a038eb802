import { defineEndpoint, noQuery, transactionBody } from "../endpoint.ts";
import { hashText } from "../fields.ts";

export const transfer = defineEndpoint({
  name: "transfer",
  section: "§4.1",
  summary: "Moves a token to another layer-2 address at once; returns the hash of the transaction.",
  method: "POST",
  path: "/api/v1/wallet/transfer",
  query: noQuery,
  body: transactionBody,
  result: hashText,
});
