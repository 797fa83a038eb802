import { TransportError } from "../base/error.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** Attempts of one request before the venue counts as unreachable. */
const START_TRIES = 6;
const START_RETRY_MS = 500;

/** Repeats a call while it fails with TransportError, up to 6 attempts. Any other error, such as a refusal, is final. */
export async function retryWhileUnreachable<Value>(
  timer: Timer,
  log: Log,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (thrown) {
      if (!(thrown instanceof TransportError) || attempt >= START_TRIES) throw thrown;
      log.warn({ attempt, reason: thrown.message }, "the venue does not answer yet");
      await new Promise<void>((resolve) => {
        timer.after(START_RETRY_MS, resolve);
      });
    }
  }
}
