import type { UnixMs } from "../domain/time.ts";

/** How long a message travels, in whole milliseconds. Asked once a message, when it is sent; a line never reorders its messages. */
export interface LatencyModel {
  /** Bot to venue: commands and queries. */
  entryMs(sentMs: UnixMs): number;
  /** Venue to bot: responses, own orders and the account. */
  responseMs(sentMs: UnixMs): number;
  /** Venue to bot: market data. */
  feedMs(sentMs: UnixMs): number;
}

/** `latency` of the configuration, milliseconds. */
export interface LatencySettings {
  readonly entry: number;
  readonly response: number;
  readonly feed: number;
}

/** Each way always takes the same time. */
export function constantLatency({ entry, response, feed }: LatencySettings): LatencyModel {
  const entryMs = Math.ceil(entry);
  const responseMs = Math.ceil(response);
  const feedMs = Math.ceil(feed);
  return { entryMs: () => entryMs, responseMs: () => responseMs, feedMs: () => feedMs };
}

/**
 * Constant latency where live public data moves the simulation. That data has travelled already, so the simulated book is `feed`
 * old. A command that is to meet the book it would meet at the venue waits for both ways, and its response comes that much sooner.
 */
export function paperLatency({ entry, response, feed }: LatencySettings): LatencyModel {
  return constantLatency({ entry: entry + feed, response: Math.max(0, response - feed), feed: 0 });
}
