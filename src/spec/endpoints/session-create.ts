import { z } from "zod";
import { defineEndpoint, noQuery, noResult, transactionBody } from "../endpoint.ts";
import { SESSION_NAME_MAX } from "../limits.ts";

export const sessionCreate = defineEndpoint({
  name: "session-create",
  section: "§4.1",
  summary: "Creates a session wallet, which may trade for its owner until it expires.",
  method: "POST",
  path: "/api/v1/wallet/session",
  query: noQuery,
  body: transactionBody.extend({
    /** For display only; not signed. */
    name: z
      .string()
      .max(SESSION_NAME_MAX, `is longer than ${SESSION_NAME_MAX} characters`)
      .optional(),
  }),
  result: noResult,
  envelope: "bare",
});
