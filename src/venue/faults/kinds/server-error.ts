import { z } from "zod";
import { encodeFailure } from "../../../spec/envelope.ts";
import { defineFault } from "../fault-kind.ts";

export const serverError = defineFault({
  name: "5xx",
  summary:
    "A request gets `status` as its response. It is not served unless `applied` is true; then only the response is wrong.",
  options: {
    status: z.literal([500, 502, 503, 504]).default(503),
    applied: z.boolean().default(false),
  },
  async request({ serve }, { status, applied }) {
    if (applied) await serve();
    return {
      status,
      headers: { "content-type": "application/json" },
      body: encodeFailure("standard", status, "A fault of the schedule."),
    };
  },
});
