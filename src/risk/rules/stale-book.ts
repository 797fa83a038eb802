import { duration, durationText } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * Nothing is placed on a book that may be old: some message of the venue, a pong included, must be recent. A quiet market is not
 * a stale one, so the limit is longer than the period of our own pings. That the book is in sync is a rule without a setting
 * (`live-book`).
 */
export const staleBook = defineRule({
  name: "stale-book",
  summary: "Longest silence of the venue, pongs included, after which nothing is placed.",
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
