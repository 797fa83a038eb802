import { TransportError } from "../base/error.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { retryAfterOfError, VenueError } from "./venue-error.ts";

/** Attempts of one request before the venue counts as unreachable. */
const START_TRIES = 6;
const START_RETRY_MS = 500;

/**
 * Repeats a call while it fails with TransportError or is refused as one too many (429), up to 6 attempts, after the venue's
 * `Retry-After` if that is longer. Any other refusal is final, and so is the end of the HTTP client.
 */
export async function retryWhileUnreachable<Value>(
  timer: Timer,
  log: Log,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (thrown) {
      if (!mayPass(thrown) || attempt >= START_TRIES) throw thrown;
      log.warn({ attempt, reason: thrown.message }, "the venue does not answer yet");
      const waitMs = Math.max(START_RETRY_MS, retryAfterOfError(thrown) ?? 0);
      await new Promise<void>((resolve) => {
        timer.after(waitMs, resolve);
      });
    }
  }
}

function mayPass(thrown: unknown): thrown is TransportError | VenueError {
  if (thrown instanceof VenueError) return thrown.reason === "rateLimited";
  return thrown instanceof TransportError && thrown.code !== "HTTP_CLOSED";
}
