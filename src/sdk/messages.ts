import { TouchlineError } from "../base/error.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import type { VenueStream } from "./venue-stream.ts";

export interface MessagesOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the channel is confirmed. From now on no message is missed. */
  opened?(): void;
  /** The most messages that may wait for the reader. Default 10000. */
  readonly capacity?: number;
}

const CAPACITY = 10_000;

/**
 * The messages of one channel, for `for await`. It never skips a message silently: it throws TouchlineError `STREAM_LOST` when the
 * connection is lost and `STREAM_BEHIND` when the reader falls behind. Then query REST for the missing data and iterate again.
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
      // Drop messages after a loss: the reader gets all messages up to it, then the error.
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
  // When the venue refuses the channel, the iteration throws its VenueError.
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

/** A function, because the compiler would narrow `aborted` to false after the first check. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
