import { z } from "zod";
import { defineChannel } from "../channel.ts";
import { counter, responseMarketId, responseDecimal, timeMs } from "../fields.ts";
import { FRAME_LEVELS_MAX } from "../limits.ts";
import { list } from "../list.ts";

/** `[price, quantity]`; quantity is absolute, 0 removes the level. */
export const wireLevel = z.tuple([responseDecimal, responseDecimal]);
/** One side of a message. */
export const wireLevels = list(wireLevel, FRAME_LEVELS_MAX);

export const depthChannel = defineChannel({
  name: "depth",
  section: "§6.3",
  summary: "Incremental depth updates of a market.",
  parameter: "marketId",
  payload: z.object({
    marketId: responseMarketId,
    bids: wireLevels,
    asks: wireLevels,
    firstId: counter,
    finalId: counter,
    time: timeMs,
  }),
});
