import { Prng } from "../base/prng.ts";
import type { UnixMs } from "../domain/time.ts";
import { delayOf, type DelaySettings } from "./delay.ts";

/** Delays of messages in whole milliseconds, called once for each message when it is sent. Messages are never reordered. */
export interface LatencyModel {
  /** Bot to venue: commands and queries. */
  entryMs(sentMs: UnixMs): number;
  /** Venue to bot: responses, own orders and the account. */
  responseMs(sentMs: UnixMs): number;
  /** Venue to bot: market data. */
  feedMs(sentMs: UnixMs): number;
}

export interface LatencySettings {
  readonly entry: DelaySettings;
  readonly response: DelaySettings;
  readonly feed: DelaySettings;
  /** Of the random draws. */
  readonly seed: number;
}

/** Constant delays in milliseconds. */
export function constantDelays(ms: {
  readonly entry: number;
  readonly response: number;
  readonly feed: number;
}): LatencySettings {
  const constant = (delayMs: number): DelaySettings => ({ type: "constant", ms: delayMs });
  return {
    entry: constant(ms.entry),
    response: constant(ms.response),
    feed: constant(ms.feed),
    seed: 1,
  };
}

/** A delay for each message, rounded up to whole milliseconds. */
export function latencyModel(settings: LatencySettings): LatencyModel {
  const { entry, response, feed } = delaysOf(settings);
  return {
    entryMs: (sentMs) => Math.ceil(entry(sentMs)),
    responseMs: (sentMs) => Math.ceil(response(sentMs)),
    feedMs: (sentMs) => Math.ceil(feed(sentMs)),
  };
}

/**
 * Latency for a simulation that live public data moves. The simulated book is already `feed` old, so a command waits for
 * `entry + feed` to meet the book that it would meet at the venue, and its response takes `feed` less.
 */
export function paperLatency(settings: LatencySettings): LatencyModel {
  const { entry, response, feed } = delaysOf(settings);
  return {
    entryMs: (sentMs) => Math.ceil(entry(sentMs) + feed(sentMs)),
    responseMs: (sentMs) => Math.ceil(Math.max(0, response(sentMs) - feed(sentMs))),
    feedMs: () => 0,
  };
}

/** Each kind of message has random draws of its own, so that one more command does not change the delays of the feed. */
function delaysOf({ entry, response, feed, seed }: LatencySettings) {
  const prng = new Prng(seed);
  return {
    entry: delayOf(entry, prng.fork("entry")),
    response: delayOf(response, prng.fork("response")),
    feed: delayOf(feed, prng.fork("feed")),
  };
}
