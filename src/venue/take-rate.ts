import { err } from "../base/result.ts";
import type { Failure } from "./failure.ts";
import type { VenueContext } from "./venue-context.ts";

/** Counts a request against a caller's rate; the 429 failure when the rate is used up. */
export function takeRate(
  context: VenueContext,
  key: string,
): { readonly ok: false; readonly error: Failure } | undefined {
  const rate = context.rateLimit.take(key, context.clock.nowMs());
  if (rate.ok) return undefined;
  return err({
    code: 429,
    errMsg: `Too many requests of ${key}: at most ${context.config.rateLimit.perSecond} a second.`,
    retryAfterSec: rate.retryAfterSec,
  });
}
