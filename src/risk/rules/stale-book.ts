import { duration, durationText } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * Nothing is placed on a book that may be old: some message of the venue, a pong included, must be recent. A quiet market is not
 * a stale one, so the limit is longer than the period of our own pings. That the book is in sync is a rule without a setting
 * (`live-book`). Single channels are judged by the kernel (`src/kernel/channels/channels.ts`, D38), which pulls quotes after the same limit.
 */
export const staleBook = defineRule({
  name: "stale-book",
  summary:
    "Quotes are pulled and nothing is placed after a silence of the venue, pongs included, of this length, and when the market's depth channel or the user channel has been behind for so long.",
  params: duration({ min: 100 }),
  default: "10s",
  check(_proposal, { nowMs, lastMessageMs }, limit) {
    const silentMs = lastMessageMs === undefined ? undefined : nowMs - lastMessageMs;
    if (silentMs !== undefined && silentMs <= limit) return undefined;
    return {
      rule: "stale-book",
      limit: durationText(limit),
      actual: silentMs === undefined ? "no message yet" : durationText(silentMs),
    };
  },
});
