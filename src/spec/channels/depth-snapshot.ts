import { z } from "zod";
import { defineChannel } from "../channel.ts";
import { counter, responseMarketId, timeMs } from "../fields.ts";
import { SNAPSHOT_LEVELS_MAX } from "../limits.ts";
import { list } from "../list.ts";
import { wireLevel } from "./depth.ts";

const levels = list(wireLevel, SNAPSHOT_LEVELS_MAX);

export const depthSnapshotChannel = defineChannel({
  name: "depthSnapshot",
  section: "§6.3",
  summary: "The best 100 levels a side of a market, every 500 ms or on change.",
  parameter: "marketId",
  payload: z.object({
    marketId: responseMarketId,
    /** `finalId` of the last depth event that the snapshot includes (D27). */
    lastUpdateId: counter,
    bids: levels,
    asks: levels,
    time: timeMs,
  }),
});
