import { duration, durationText } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * Nothing is placed on a book that may be old: a message or pong of the venue has to be recent. A quiet market is not
 * a stale one, so the limit lies above the period of our own pings; that the book itself is in sync is not for settings
 * (rule `live-book`).
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
