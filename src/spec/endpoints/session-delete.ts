import { defineEndpoint, noQuery, noResult, transactionBody } from "../endpoint.ts";

export const sessionDelete = defineEndpoint({
  name: "session-delete",
  section: "§4.1",
  summary: "Ends a session wallet.",
  method: "POST",
  path: "/api/v1/wallet/session/delete",
  query: noQuery,
  body: transactionBody,
  result: noResult,
  envelope: "bare",
});
