import type { Invariant } from "../invariant.ts";

/** For reads queued in the gateway, and the few requests outside the kernel at start and end. */
const RATE_SLACK = 16;

/**
 * Requests keep to the rate limit under all faults. Each process begins with a full bucket, but a start that fails has to leave one
 * (docs/decisions/020). Not checked if the clock jumps, since a jump refills the bucket.
 */
export const rateLimit: Invariant = {
  name: "rate-limit",
  isOfBot: true,
  watch({ scenario, elapsedMs }) {
    const { perSecond, burst } = scenario.rate;
    const full = burst + RATE_SLACK;
    const jumps = scenario.faults.some(({ name }) => name === "clock-jumps");
    let tokens = full;
    let lastMs = 0;
    return {
      processStarts(hasStartFailed) {
        if (!hasStartFailed) tokens = full;
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
