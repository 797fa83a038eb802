import { z } from "zod";
import { defineChannel } from "../channel.ts";
import { responseDecimal, integer, marketIdText, timeMs } from "../fields.ts";

/** `[price, quantity]`; quantity is absolute, 0 removes the level. */
export const wireLevel = z.tuple([responseDecimal, responseDecimal]);

export const depthChannel = defineChannel({
  name: "depth",
  section: "§6.3",
  summary: "Incremental depth updates of a market.",
  parameter: "marketId",
  payload: z.object({
    marketId: marketIdText,
    bids: z.array(wireLevel),
    asks: z.array(wireLevel),
    firstId: integer,
    finalId: integer,
    time: timeMs,
  }),
});
