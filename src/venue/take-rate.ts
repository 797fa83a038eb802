import { err } from "../base/result.ts";
import type { Failure } from "./failure.ts";
import type { VenueContext } from "./venue-context.ts";

/** Counts a request against a caller's rate; the 429 failure, which names `who`, when the rate of `key` is used up. */
export function takeRate(
  context: VenueContext,
  who: string,
  key = who,
): { readonly ok: false; readonly error: Failure } | undefined {
  const rate = context.rateLimit.take(key, context.clock.nowMs());
  if (rate.ok) return undefined;
  return err({
    code: 429,
    errMsg: `Too many requests of ${who}: at most ${context.config.rateLimit.perSecond} a second.`,
    retryAfterSec: rate.retryAfterSec,
  });
}
