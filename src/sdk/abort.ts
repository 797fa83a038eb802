import { TransportError } from "../base/error.ts";

/** Rejects as soon as the signal says so; `promise` itself goes on unheard. For what takes no signal of its own, before bytes are sent. */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let listener: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(givenUp());
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

/** Throws `HTTP_ABORTED`, `not-sent`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw givenUp();
}

function givenUp(): TransportError {
  return new TransportError("not-sent", "HTTP_ABORTED", "It was given up before it was sent.");
}
