import { z } from "zod";
import { duration } from "../domain/setting.ts";
import { key, simulated } from "./bot-key.ts";

const way = duration({ max: 60_000 });
const USUAL = 20;

const [entry, response, feed] = ["latency.entry", "latency.response", "latency.feed"] as const;

/** How long messages travel between a bot and its simulated venue; gives milliseconds. */
export const latencySchema = z
  .strictObject({
    entry: key(way.optional(), simulated, "A command or a query to the venue; 20ms when left out."),
    response: key(
      way.optional(),
      simulated,
      "The venue's responses, and its events about own orders and the account; 20ms when left out.",
    ),
    feed: key(way.optional(), simulated, "Market data to the bot; 20ms when left out."),
    command: key(
      way.optional(),
      { ...simulated, renamedTo: [entry] },
      "Old name of `latency.entry`.",
    ).meta({ deprecated: true }),
    news: key(
      way.optional(),
      { ...simulated, renamedTo: [response, feed] },
      "Old name of `latency.response` and `latency.feed`.",
    ).meta({ deprecated: true }),
  })
  .transform((written) => ({
    entry: written.entry ?? written.command ?? USUAL,
    response: written.response ?? written.news ?? USUAL,
    feed: written.feed ?? written.news ?? USUAL,
  }));
