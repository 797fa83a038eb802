import { TouchlineError, TransportError } from "../base/error.ts";
import { VenueError } from "../gateway/venue-error.ts";
import { spanText } from "./time-text.ts";

/** The error of a venue that does not answer, or asks to wait, with what can be done about it; any other error as it is. */
export function withHint(error: unknown, rest: string): unknown {
  if (error instanceof VenueError && error.retryAfterMs !== undefined) {
    return new TouchlineError(error.code, error.message, {
      hint: waitHint(error.retryAfterMs),
      cause: error,
    });
  }
  if (!(error instanceof TransportError) || error.outcome !== "not-sent") return error;
  return new TouchlineError("VENUE_UNREACHABLE", `${rest} does not answer: ${error.message}`, {
    hint: "Start a paper venue with `touchline venue`, or name one with --venue or --config.",
    cause: error,
  });
}

/** After a 429, whose `Retry-After` says how long. */
export function waitHint(retryAfterMs: number): string {
  return `It asks to wait ${spanText(retryAfterMs)}; then try again.`;
}
