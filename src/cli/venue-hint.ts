import { TouchlineError, TransportError } from "../base/error.ts";
import { VenueError } from "../gateway/venue-error.ts";
import { spanText } from "./time-text.ts";

/** Hint of commands that take the venue from a bot's configuration. */
export const configuredVenueHint =
  "Start it (`touchline venue` is the paper venue), or correct venue.rest in the configuration.";

/** Adds a hint to errors of a venue that is unreachable or asks to wait; other errors are returned unchanged. */
export function withHint(
  error: unknown,
  rest: string,
  hint = "Start a paper venue with `touchline venue`, or give one with --venue or --config.",
): unknown {
  if (error instanceof VenueError && error.retryAfterMs !== undefined) {
    return new TouchlineError(error.code, error.message, {
      hint: waitHint(error.retryAfterMs),
      cause: error,
    });
  }
  if (!(error instanceof TransportError) || error.outcome !== "not-sent") return error;
  return new TouchlineError("VENUE_UNREACHABLE", `${rest} does not respond: ${error.message}`, {
    hint,
    cause: error,
  });
}

/** Hint after status 429, from its `Retry-After`. */
export function waitHint(retryAfterMs: number): string {
  return `The venue asks to wait ${spanText(retryAfterMs)}; then try again.`;
}
