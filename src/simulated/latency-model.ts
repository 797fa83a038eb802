import type { UnixMs } from "../domain/time.ts";

/** Delays of messages in whole milliseconds, called once for each message when it is sent. Messages are never reordered. */
export interface LatencyModel {
  /** Bot to venue: commands and queries. */
  entryMs(sentMs: UnixMs): number;
  /** Venue to bot: responses, own orders and the account. */
  responseMs(sentMs: UnixMs): number;
  /** Venue to bot: market data. */
  feedMs(sentMs: UnixMs): number;
}

/** The configuration's `latency`, in milliseconds. */
export interface LatencySettings {
  readonly entry: number;
  readonly response: number;
  readonly feed: number;
}

/** A fixed delay for each kind of message, rounded up to whole milliseconds. */
export function constantLatency({ entry, response, feed }: LatencySettings): LatencyModel {
  const entryMs = Math.ceil(entry);
  const responseMs = Math.ceil(response);
  const feedMs = Math.ceil(feed);
  return { entryMs: () => entryMs, responseMs: () => responseMs, feedMs: () => feedMs };
}

/**
 * Constant latency for a simulation that live public data moves. The simulated book is already `feed` old, so a command waits for
 * `entry + feed` to meet the book that it would meet at the venue, and its response takes `feed` less.
 */
export function paperLatency({ entry, response, feed }: LatencySettings): LatencyModel {
  return constantLatency({ entry: entry + feed, response: Math.max(0, response - feed), feed: 0 });
}
