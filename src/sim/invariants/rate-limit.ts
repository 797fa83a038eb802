import type { Invariant } from "../invariant.ts";

/** Reads held in the gateway's lane, and the few questions outside the kernel at the start and the end. */
const RATE_SLACK = 16;

/** 6. Requests keep to the rate limit, whatever fails. A clock that jumps refills the bucket once. */
export const rateLimit: Invariant = {
  name: "rate-limit",
  watch({ scenario, elapsedMs }) {
    const { perSecond, burst } = scenario.rate;
    const full = burst + RATE_SLACK;
    const jumps = scenario.faults.some(({ name }) => name === "clock-jumps");
    let tokens = full;
    let lastMs = 0;
    return {
      runStarts() {
        tokens = full;
      },
      request() {
        if (jumps) return undefined;
        tokens = Math.min(full, tokens + ((elapsedMs() - lastMs) * perSecond) / 1000) - 1;
        lastMs = elapsedMs();
        return tokens < 0 ? `more than ${burst} requests and ${perSecond} a second` : undefined;
      },
    };
  },
};
