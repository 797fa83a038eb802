import { TouchlineError } from "../base/error.ts";
import { Prng } from "../base/prng.ts";
import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import type { Listener, Subscription, VenueStream } from "../sdk/venue-stream.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";
import type { VenueAccess } from "./venue-access.ts";

/** A channel to watch, and what to do with its messages. */
export type WatchedChannel<Kind extends ChannelKind = ChannelKind> = {
  readonly [Each in Kind]: {
    readonly kind: Each;
    /** A market id or an address; empty for channels without one. */
    readonly parameter: string;
    show(payload: PayloadOf<Channels[Each]>): void;
  };
}[Kind];

export interface WatchOptions {
  readonly venue: VenueAccess;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  /** Words of the command, joined by a dot: names its lines. */
  readonly event: string;
  readonly channels: readonly WatchedChannel[];
  readonly durationMs: number | undefined;
  /** Every channel is confirmed: whatever happens from now on is told. Comes again after a lost connection. */
  opened?(): void;
}

const PATIENCE_MS = 10_000;
/** Connections that failed before the first one that stood. */
const TRIES = 3;

/**
 * Shows the messages of some channels until the command is to end. A lost connection is said (`"type": "lost"`, and `"opened"` once
 * all channels are confirmed again), since what was sent in between is missing. Throws when the venue refuses a channel or the
 * streams cannot be reached.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { venue, terminal, interrupt, event, channels, durationMs } = options;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const { randomSeed } = await import("../platform/random.ts");
  const { createSocketConnector } = await import("../platform/socket.ts");
  const { systemTimer } = await import("../platform/timer.ts");
  const sdk = await import("../sdk/venue-stream.ts");
  const crypto = await loadCrypto();
  const { ws } = venue.address;
  let failures = 0;
  let isUnreachable: (reason: string) => void = () => undefined;
  const unreachable = new Promise<never>((_, reject) => {
    isUnreachable = (reason) => {
      reject(
        new TouchlineError("STREAM_UNREACHABLE", `${ws} cannot be reached: ${reason}.`, {
          hint: "Name the WebSocket address with --ws or --config; the paper venue's is /ws on its REST address.",
        }),
      );
    };
  });
  // Once every channel is confirmed nobody waits for it any more.
  unreachable.catch(() => undefined);
  const patience = setTimeout(() => isUnreachable("no answer"), PATIENCE_MS);
  const connector = createSocketConnector();
  const stream = new sdk.VenueStream({
    connector: {
      connect: (url, handlers) =>
        connector.connect(url, {
          ...handlers,
          closed(code, reason) {
            failures += 1;
            if (failures >= TRIES)
              isUnreachable(reason === "" ? `closed with code ${code}` : reason);
            handlers.closed(code, reason);
          },
        }),
    },
    ws,
    timer: systemTimer,
    prng: new Prng(randomSeed()),
    keccak256: (bytes) => crypto.keccak256(bytes),
    timing: defaultStreamTiming,
    unreadable: (reason) => terminal.warn(`a message is not readable and left out: ${reason}.`),
  });
  let open = 0;
  const states: Pick<Listener<never>, "opened" | "closed"> = {
    opened() {
      open += 1;
      if (open < channels.length) return;
      terminal.emit(event, { type: "opened" });
      options.opened?.();
    },
    closed(reason) {
      open -= 1;
      // Once for all channels.
      if (open !== channels.length - 1 || interrupt.stop.aborted) return;
      terminal.emit(event, { type: "lost", reason: reason });
      terminal.warn(`the stream is lost (${reason}); what is sent until it is back is missing.`);
    },
  };
  try {
    const subscriptions = channels.map((watched) => subscribe(stream, watched, states));
    const opened = Promise.all(subscriptions.map((subscription) => subscription.opened));
    await Promise.race([opened, unreachable]);
    clearTimeout(patience);
    await interrupt.ended(durationMs);
  } finally {
    clearTimeout(patience);
    stream.close();
  }
}

function subscribe<Kind extends ChannelKind>(
  stream: VenueStream,
  { kind, parameter, show }: WatchedChannel<Kind>,
  states: Pick<Listener<never>, "opened" | "closed">,
): Subscription {
  return stream.subscribe<Kind>(kind, parameter, { ...states, message: show });
}
