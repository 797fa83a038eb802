import { TouchlineError, TransportError } from "../base/error.ts";
import type { RefusalReason } from "../domain/command.ts";
import { refusalReasonOf } from "../spec/refusal.ts";

/** The venue's readable no (D11): a code from 400 to 499, so what was asked for did not happen. */
export class VenueError extends TouchlineError {
  override readonly name = "VenueError";
  /** Code of the envelope. */
  readonly venueCode: number;
  /** What the code means. */
  readonly reason: RefusalReason;
  /** How long the venue asks to wait; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(venueCode: number, errMsg: string, what: string, retryAfterMs: number | undefined) {
    // Its sentence goes on here, so its full stop does not.
    const said = errMsg.replace(/\.$/, "");
    super("VENUE_REFUSED", `The venue refused ${what}: ${said} (${venueCode}).`, {
      context: { venueCode, errMsg, retryAfterMs },
    });
    this.venueCode = venueCode;
    this.reason = refusalReasonOf(venueCode);
    this.retryAfterMs = retryAfterMs;
  }
}

/** How long the venue asked to wait, whatever the failure; undefined when it did not say. */
export function retryAfterOfError(thrown: unknown): number | undefined {
  if (thrown instanceof VenueError) return thrown.retryAfterMs;
  const waitMs = thrown instanceof TransportError ? thrown.context["retryAfterMs"] : undefined;
  return typeof waitMs === "number" ? waitMs : undefined;
}
