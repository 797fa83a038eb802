import { TouchlineError } from "../base/error.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import type { VenueStream } from "./venue-stream.ts";

export interface MessagesOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** The channel is confirmed: whatever happens from now on is told. */
  opened?(): void;
  /** Messages that may wait for the reader. Default 10000. */
  readonly capacity?: number;
}

const CAPACITY = 10_000;

/**
 * The messages of one channel, for `for await`. Never skips one silently: when the connection is lost the iteration throws
 * TouchlineError `STREAM_LOST`, when the reader falls behind `STREAM_BEHIND`; iterate again after asking REST for the rest.
 */
export async function* messagesOf<Kind extends ChannelKind>(
  stream: VenueStream,
  kind: Kind,
  parameter: string,
  { signal, opened, capacity = CAPACITY }: MessagesOptions = {},
): AsyncGenerator<PayloadOf<Channels[Kind]>, void, undefined> {
  const queue: PayloadOf<Channels[Kind]>[] = [];
  let failure: TouchlineError | undefined;
  let wake: () => void = () => undefined;
  const onAbort = (): void => wake();
  if (isAborted(signal)) return;
  signal?.addEventListener("abort", onAbort);
  const subscription = stream.subscribe(kind, parameter, {
    message(payload) {
      // What comes after a loss is not told: the reader sees everything up to it, then the failure.
      if (failure !== undefined) return;
      if (queue.length < capacity) queue.push(payload);
      else failure = new TouchlineError("STREAM_BEHIND", `More than ${capacity} messages wait.`);
      wake();
    },
    opened() {
      opened?.();
    },
    closed(reason) {
      failure ??= new TouchlineError("STREAM_LOST", `Messages may be missing: ${reason}.`);
      wake();
    },
  });
  // A refused channel ends it with the venue's own words.
  subscription.opened.catch((error: unknown) => {
    if (error instanceof TouchlineError) failure = error;
    wake();
  });
  try {
    for (;;) {
      if (isAborted(signal)) return;
      const next = queue.shift();
      if (next !== undefined) {
        yield next;
      } else if (failure !== undefined) {
        throw failure;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    subscription.close();
  }
}

/** A call, since the compiler does not know that the signal changes. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
