import { TransportError } from "../base/error.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** Questions before the start are asked so often, half a second apart, before the venue counts as out of reach. */
const START_TRIES = 6;
const START_RETRY_MS = 500;

/** Asks again while the venue is out of reach; a readable no is final. */
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
