import { TouchlineError } from "../base/error.ts";
import { Prng } from "../base/prng.ts";
import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { Listener, Subscription, VenueStream } from "../sdk/venue-stream.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";
import type { VenueAccess } from "./venue-access.ts";

/** A channel to watch and the function that prints its messages. */
export type WatchedChannel<Kinds extends ChannelKind = ChannelKind> = {
  readonly [Kind in Kinds]: {
    readonly kind: Kind;
    /** A market id or an address; empty for channels without a parameter. */
    readonly parameter: string;
    show(payload: PayloadOf<Channels[Kind]>): void;
  };
}[Kinds];

export interface WatchOptions {
  readonly venue: VenueAccess;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  /** Words of the command joined by a dot: the name of its JSON lines. */
  readonly event: string;
  readonly channels: readonly WatchedChannel[];
  readonly durationMs: number | undefined;
  /** Called when every channel is confirmed, so that no later message is missed; again after each reconnect. */
  opened?(): void;
}

const OPEN_TIMEOUT_MS = 10_000;
/** Number of failed connections after which the first attempt is given up. */
const TRIES = 3;

/**
 * Shows the messages of channels until the command must end. A lost connection is reported (`"type": "lost"`, then `"opened"` once
 * all channels are confirmed again), since messages sent in between are missing. Throws when the venue refuses a channel or the
 * streams cannot be reached.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { venue, terminal, interrupt, channels, durationMs } = options;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const { randomSeed } = await import("../platform/random.ts");
  const { systemTimer } = await import("../platform/timer.ts");
  const { VenueStream } = await import("../sdk/venue-stream.ts");
  const { createSocketConnector } = await import("../platform/socket.ts");
  const crypto = await loadCrypto();
  const attempts = new OpenAttempts(venue.address.ws);
  const stream = new VenueStream({
    connector: attempts.counted(createSocketConnector()),
    ws: venue.address.ws,
    timer: systemTimer,
    prng: new Prng(randomSeed()),
    keccak256: (bytes) => crypto.keccak256(bytes),
    timing: defaultStreamTiming,
    unreadable: (reason) => terminal.warn(`an unreadable message was skipped: ${reason}.`),
  });
  const states = connectionStates(options);
  try {
    const subscriptions = channels.map((watched) => subscribe(stream, watched, states));
    const opened = Promise.all(subscriptions.map((subscription) => subscription.opened));
    await Promise.race([opened, attempts.unreachable]);
    attempts.end();
    await interrupt.ended(durationMs);
  } finally {
    attempts.end();
    stream.close();
  }
}

/** Gives up when the first connection fails too often or takes too long. */
class OpenAttempts {
  /** Rejects with TouchlineError `STREAM_UNREACHABLE`. */
  readonly unreachable: Promise<never>;
  readonly #ws: string;
  readonly #timeout: NodeJS.Timeout;
  #reject: (error: TouchlineError) => void = () => undefined;
  #failures = 0;

  constructor(ws: string) {
    this.#ws = ws;
    this.unreachable = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    // Nobody waits for it once every channel is confirmed.
    this.unreachable.catch(() => undefined);
    this.#timeout = setTimeout(() => this.#giveUp("no response"), OPEN_TIMEOUT_MS);
  }

  counted(connector: SocketConnector): SocketConnector {
    return {
      connect: (url, handlers) =>
        connector.connect(url, {
          ...handlers,
          closed: (code, reason) => {
            this.#failures += 1;
            if (this.#failures >= TRIES) {
              this.#giveUp(reason === "" ? `closed with code ${code}` : reason);
            }
            handlers.closed(code, reason);
          },
        }),
    };
  }

  end(): void {
    clearTimeout(this.#timeout);
  }

  #giveUp(reason: string): void {
    this.#reject(
      new TouchlineError("STREAM_UNREACHABLE", `${this.#ws} cannot be reached: ${reason}.`, {
        hint: "Give the WebSocket address with --ws or --config. For the paper venue it is the REST address with /ws.",
      }),
    );
  }
}

type ConnectionStates = Pick<Listener<never>, "opened" | "closed">;

/** Reports once for all channels when the connection is opened or lost. */
function connectionStates(options: WatchOptions): ConnectionStates {
  const { terminal, interrupt, event, channels } = options;
  let open = 0;
  return {
    opened() {
      open += 1;
      if (open < channels.length) return;
      terminal.emit(event, { type: "opened" });
      options.opened?.();
    },
    closed(reason) {
      open -= 1;
      if (open !== channels.length - 1 || interrupt.stop.aborted) return;
      terminal.emit(event, { type: "lost", reason });
      terminal.warn(`the stream is lost (${reason}); messages until it is back are missing.`);
    },
  };
}

function subscribe<Kind extends ChannelKind>(
  stream: VenueStream,
  { kind, parameter, show }: WatchedChannel<Kind>,
  states: ConnectionStates,
): Subscription {
  return stream.subscribe(kind, parameter, { ...states, message: show });
}
