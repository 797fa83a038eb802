import { z } from "zod";
import { defineEndpoint, noQuery } from "../endpoint.ts";
import { timeMs } from "../fields.ts";
import { TIME_MS_MAX, transactionLimits } from "../limits.ts";

/** Nonces are made of this time, so seconds, microseconds and 0 must not pass for it: 2001 to 5138 in milliseconds. */
const clockMs = timeMs.min(transactionLimits.timeNonceFrom).max(TIME_MS_MAX);

export const time = defineEndpoint({
  name: "time",
  section: "§4.3",
  summary: "The venue's clock.",
  method: "GET",
  path: "/time",
  query: noQuery,
  result: z.object({ serverTime: clockMs }),
});
