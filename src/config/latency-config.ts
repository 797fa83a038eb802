import { z } from "zod";
import { duration } from "../domain/setting.ts";
import { key, simulated } from "./bot-key.ts";

const way = duration({ max: 60_000 }).prefault("20ms");

/** How long messages travel between a bot and its simulated venue; gives milliseconds. */
export const latencySchema = z.strictObject({
  entry: key(way, simulated, "A command or a query to the venue."),
  response: key(
    way,
    simulated,
    "The venue's responses, and its events about own orders and the account.",
  ),
  feed: key(way, simulated, "Market data to the bot."),
});
