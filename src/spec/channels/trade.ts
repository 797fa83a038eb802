import { defineChannel } from "../channel.ts";
import { publicTrade } from "../resources.ts";

export const tradeChannel = defineChannel({
  name: "trade",
  section: "§6.3",
  summary: "Each trade of a market.",
  parameter: "marketId",
  payload: publicTrade,
});
