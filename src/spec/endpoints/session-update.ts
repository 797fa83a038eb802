import { defineEndpoint, noQuery, noResult, transactionBody } from "../endpoint.ts";

export const sessionUpdate = defineEndpoint({
  name: "session-update",
  section: "§4.1",
  summary: "Changes a session wallet's expiry; its name cannot change.",
  method: "POST",
  path: "/api/v1/wallet/session/update",
  query: noQuery,
  body: transactionBody,
  result: noResult,
  envelope: "bare",
});
