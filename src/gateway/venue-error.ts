import { TouchlineError, TransportError } from "../base/error.ts";
import type { RefusalReason } from "../domain/command.ts";
import { refusalReasonOf } from "../spec/refusal.ts";

/** A readable refusal by the venue (D11): a code from 400 to 499, so the request had no effect. */
export class VenueError extends TouchlineError {
  override readonly name = "VenueError";
  /** The code in the response's envelope. */
  readonly venueCode: number;
  /** The meaning of the code in the bot's own terms. */
  readonly reason: RefusalReason;
  /** How long the venue asks us to wait; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(venueCode: number, errMsg: string, what: string, retryAfterMs: number | undefined) {
    const sentence = errMsg.replace(/\.$/, "");
    super("VENUE_REFUSED", `The venue refused ${what}: ${sentence} (${venueCode}).`, {
      context: { venueCode, errMsg, retryAfterMs },
    });
    this.venueCode = venueCode;
    this.reason = refusalReasonOf(venueCode);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The meaning of a failed request. A failure that refuses nothing is `unavailable`; 429 counts in any form, even a proxy's. */
export function reasonOfError(thrown: unknown): RefusalReason {
  if (thrown instanceof VenueError) return thrown.reason;
  return isUnreadable429(thrown) ? "rateLimited" : "unavailable";
}

/** A proxy in front of the venue answered 429, or the venue did in another form than the interface's. */
export function isUnreadable429(thrown: unknown): boolean {
  return thrown instanceof TransportError && thrown.context["status"] === 429;
}

/** How long the venue asked us to wait after a refusal or failure; undefined when it did not say. */
export function retryAfterOfError(thrown: unknown): number | undefined {
  if (thrown instanceof VenueError) return thrown.retryAfterMs;
  const waitMs = thrown instanceof TransportError ? thrown.context["retryAfterMs"] : undefined;
  return typeof waitMs === "number" ? waitMs : undefined;
}
