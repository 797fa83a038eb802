import { seedFrom } from "../base/prng.ts";
import { Layer2Venue } from "../gateway/layer2-venue.ts";
import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** The adapter of the venue that a bot's settings name. */
export function liveAdapter(
  { venue, rateLimit, streams }: Pick<LiveSettings, "venue" | "rateLimit" | "streams">,
  {
    http,
    connector,
    timer,
    log,
    crypto,
    ...ports
  }: Pick<LivePorts, "http" | "connector" | "timer" | "log" | "crypto" | "randomBytes">,
  clock: Clock,
): VenueAdapter {
  return new Layer2Venue({
    http,
    connector,
    clock,
    timer,
    log,
    randomSeed: () => seedFrom(ports.randomBytes(4)),
    keccak256: (bytes) => crypto.keccak256(bytes),
    ...venue,
    concurrency: rateLimit.concurrency,
    streamTiming: streams,
  });
}
