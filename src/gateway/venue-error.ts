import { TouchlineError } from "../base/error.ts";

/** The venue's readable no (D11): a code from 400 to 499, so what was asked for did not happen. */
export class VenueError extends TouchlineError {
  override readonly name = "VenueError";
  /** Code of the envelope. */
  readonly venueCode: number;
  /** How long the venue asks to wait; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(venueCode: number, errMsg: string, what: string, retryAfterMs: number | undefined) {
    // Its sentence goes on here, so its full stop does not.
    const said = errMsg.replace(/\.$/, "");
    super("VENUE_REFUSED", `The venue refused ${what}: ${said} (${venueCode}).`, {
      context: { venueCode, errMsg, retryAfterMs },
    });
    this.venueCode = venueCode;
    this.retryAfterMs = retryAfterMs;
  }
}
