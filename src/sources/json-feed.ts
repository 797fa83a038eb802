import type { JsonFeedSettings } from "./feed-settings.ts";
import { DOCUMENT_BYTES_MAX, priceIn } from "./json-price.ts";
import { JsonStream } from "./json-stream.ts";
import { PolledFeed } from "./polled-feed.ts";
import type { FeedPorts, PriceFeed, PushSource, SourceInput } from "./price-feed.ts";

const REQUEST_MS = 5_000;

/** A price in JSON, over HTTP or a WebSocket. */
export function jsonFeed(
  name: string,
  settings: JsonFeedSettings,
  ports: FeedPorts,
  push: PushSource,
): PriceFeed {
  const { url, everyMs, paths } = settings;
  if (/^wss?:/.test(url)) return new JsonStream(name, settings, ports, push);
  const read = async (signal: AbortSignal): Promise<SourceInput | string> => {
    const request = {
      method: "GET",
      url,
      timeoutMs: REQUEST_MS,
      maxBytes: DOCUMENT_BYTES_MAX,
    } as const;
    const { status, body } = await ports.http.request({ ...request, signal });
    return status === 200 ? priceIn(name, body, paths) : `the answer has status ${status}`;
  };
  return new PolledFeed(name, everyMs, read, ports, push);
}
