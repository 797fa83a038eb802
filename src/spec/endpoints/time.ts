import { z } from "zod";
import { defineEndpoint, noQuery } from "../endpoint.ts";
import { timeMs } from "../fields.ts";

export const time = defineEndpoint({
  name: "time",
  section: "§4.3",
  summary: "The venue's clock.",
  method: "GET",
  path: "/time",
  query: noQuery,
  result: z.object({ serverTime: timeMs }),
});
