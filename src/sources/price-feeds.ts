import { ccxtFeed, type LoadCcxt } from "./ccxt-feed.ts";
import type { FeedSettings } from "./feed-settings.ts";
import { jsonFeed } from "./json-feed.ts";
import { recordingFeed } from "./recording-feed.ts";
import type { FeedPorts, PriceFeed, PushSource } from "./price-feed.ts";

/** A source of the configuration; without `feed` the kernel has its values itself. */
export interface FedSource {
  readonly name: string;
  readonly feed?: FeedSettings | undefined;
}

/** A feed for each source that has one, as one feed. Rejects with TouchlineError where one can never work. */
export async function priceFeeds(
  sources: readonly FedSource[] = [],
  ports: FeedPorts,
  push: PushSource,
  loadCcxt?: LoadCcxt,
): Promise<PriceFeed> {
  const feeds: PriceFeed[] = [];
  for (const { name, feed } of sources) {
    if (feed?.type === "json") feeds.push(jsonFeed(name, feed, ports, push));
    else if (feed?.type === "ccxt") feeds.push(await ccxtFeed(name, feed, ports, push, loadCcxt));
    else if (feed?.type === "recording") feeds.push(recordingFeed(name, feed, ports, push));
  }
  return {
    start() {
      for (const feed of feeds) feed.start();
    },
    stop() {
      for (const feed of feeds) feed.stop();
    },
  };
}
