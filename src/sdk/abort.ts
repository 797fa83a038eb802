import { TransportError } from "../base/error.ts";

/**
 * Rejects with `HTTP_ABORTED` as soon as the signal aborts. `promise` itself continues, and its result is dropped.
 * Use it for work without a signal of its own that comes before any byte is sent.
 */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let listener: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(abortedBeforeSend());
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", listener);
    promise.catch(() => undefined);
  }
}

/** Throws TransportError `HTTP_ABORTED`, `not-sent`, when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBeforeSend();
}

function abortedBeforeSend(): TransportError {
  return new TransportError("not-sent", "HTTP_ABORTED", "The call was aborted before it was sent.");
}
