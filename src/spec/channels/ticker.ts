import { OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineChannel } from "../channel.ts";
import { tickerRecord } from "../resources.ts";
import { list } from "../list.ts";

export const tickerChannel = defineChannel({
  name: "ticker",
  section: "§6.3",
  summary: "Tickers of all markets; there is no form for one market.",
  parameter: "none",
  payload: list(tickerRecord, OPEN_LIST_MAX),
});
