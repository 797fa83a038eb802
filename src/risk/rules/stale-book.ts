import { duration, durationText } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * Nothing is placed by facts that may be old: the market's book and the own orders must have been proven recently, by the streams or over
 * REST (`src/kernel/freshness`). The kernel pulls quotes after the same limit.
 */
export const staleBook = defineRule({
  name: "stale-book",
  summary:
    "Quotes are pulled and nothing is placed when the market's book or the own orders have not been proven for this long, by the streams or over REST.",
  params: duration({ min: 100 }),
  default: "10s",
  check(_proposal, { nowMs, provenMs }, limit) {
    const ageMs = provenMs === undefined ? undefined : nowMs - provenMs;
    if (ageMs !== undefined && ageMs <= limit) return undefined;
    return {
      rule: "stale-book",
      limit: durationText(limit),
      actual: ageMs === undefined ? "nothing known yet" : durationText(ageMs),
    };
  },
});
