import { Prng, seedFrom } from "../base/prng.ts";
import type { FeedPorts } from "../sources/price-feed.ts";

/** The ports of price feeds: their requests go straight to the network, since they are not the venue's. */
export function feedPorts(
  ports: Pick<FeedPorts, "http" | "connector" | "timer" | "log" | "recordings"> & {
    randomBytes(count: number): Uint8Array;
  },
  clock: FeedPorts["clock"],
): FeedPorts {
  const { http, connector, timer, log, recordings } = ports;
  const prng = new Prng(seedFrom(ports.randomBytes(4)));
  return { http, connector, timer, log, recordings, clock, prng };
}
