import { TouchlineError, TransportError } from "../base/error.ts";

/** The error of a venue that does not answer, with what can be done about it; any other error as it is. */
export function withHint(error: unknown, rest: string): unknown {
  if (!(error instanceof TransportError) || error.outcome !== "not-sent") return error;
  return new TouchlineError("VENUE_UNREACHABLE", `${rest} does not answer: ${error.message}`, {
    hint: "Start a paper venue with `touchline venue`, or name one with --venue or --config.",
    cause: error,
  });
}
