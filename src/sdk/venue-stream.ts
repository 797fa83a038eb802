import { TouchlineError, TransportError } from "../base/error.ts";
import type { Prng } from "../base/prng.ts";
import { Backoff } from "../gateway/backoff.ts";
import { StreamConnection, type StreamRefusal } from "../gateway/stream-connection.ts";
import type { FrameDecoder } from "../gateway/stream-decoder.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import { VenueError } from "../gateway/venue-error.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import { channelName, decodeServerFrame, type StreamPush } from "../spec/stream.ts";
import type { Keccak256 } from "../spec/transaction.ts";

export interface VenueStreamOptions {
  readonly connector: SocketConnector;
  /** `ws://…/ws` */
  readonly ws: string;
  readonly timer: Timer;
  readonly prng: Prng;
  readonly keccak256: Keccak256;
  readonly timing: Pick<
    StreamTiming,
    "pingMs" | "pongMs" | "openMs" | "backoffMs" | "backoffMaxMs"
  >;
  /** Called for frames that break the interface. Each may have been a message that is now lost. */
  readonly unreadable?: ((reason: string) => void) | undefined;
}

/** Callbacks of a subscription. Payloads are as on the wire. */
export interface Listener<Payload> {
  message(payload: Payload): void;
  /** The venue confirmed the channel: the first time, and again after each `closed`. */
  opened?(): void;
  /** Messages are lost from now until the next `opened`. Query REST for the missing data then. */
  closed?(reason: string): void;
}

export interface Subscription {
  /** Resolves with the first confirmation; rejects with VenueError when the venue refuses the channel. */
  readonly opened: Promise<void>;
  /** Unsubscribes; no callback follows. */
  close(): void;
}

interface Entry extends Subscription {
  readonly channel: string;
  readonly listener: Pick<Listener<never>, "opened" | "closed">;
  /** Passes a message of its channel to the listener. */
  deliver(push: StreamPush): void;
  resolve(): void;
  reject(error: TouchlineError): void;
  isOpen: boolean;
}

/** The most channels of one connection, since each has a request that may await its reply. */
const MAX_CHANNELS = 1_000;
const text = new TextDecoder();
/** Subscriptions do not need the time of receipt. */
const noClock = { monotonicUs: () => 0 };

const decoder: FrameDecoder<StreamPush> = {
  decode(data) {
    const frame = decodeServerFrame(text.decode(data));
    if (!frame.ok) return { type: "unreadable", reason: frame.error };
    return frame.value.type === "reply" ? frame.value : { type: "input", input: frame.value.push };
  },
};

/**
 * All subscriptions over one connection, which opens with the first and closes with the last. It reconnects by itself and calls
 * `closed` and `opened` of every listener, since messages in between are lost. Pings detect a dead socket.
 */
export class VenueStream {
  readonly #options: VenueStreamOptions;
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #backoff: Backoff;
  #connection: StreamConnection<StreamPush> | undefined;
  /** The wait for the next connection. */
  #reconnect: TimerHandle | undefined;

  constructor(options: VenueStreamOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.timing, options.prng);
  }

  /** `parameter`: a market id or an address, empty for channels without one. Throws `CHANNEL_INVALID`. */
  subscribe<Kind extends ChannelKind>(
    kind: Kind,
    parameter: string,
    listener: Listener<PayloadOf<Channels[Kind]>>,
  ): Subscription {
    const name = channelName(kind, parameter, this.#options.keccak256);
    if (name === undefined) {
      throw new TouchlineError("CHANNEL_INVALID", `There is no channel ${kind}@${parameter}.`);
    }
    const known = this.#entries.get(name.text);
    if (known === undefined && this.#entries.size >= MAX_CHANNELS) {
      throw new TouchlineError("CHANNEL_INVALID", `More than ${MAX_CHANNELS} channels.`);
    }
    const entry = this.#entry(name.text, listener, (push) => {
      if (isOf(kind, push)) listener.message(push.payload);
    });
    const others = known ?? new Set();
    this.#entries.set(name.text, others);
    const isConfirmed = [...others].some(({ isOpen }) => isOpen);
    others.add(entry);
    if (this.#connection === undefined && this.#reconnect === undefined) this.#connect();
    else if (isConfirmed) this.#open(entry);
    else if (known === undefined) this.#connection?.subscribe([name.text]);
    return entry;
  }

  /** Ends every subscription and the connection. */
  close(): void {
    for (const entries of this.#entries.values()) {
      for (const entry of entries) this.#end(entry, "closed by its owner");
    }
    this.#entries.clear();
    this.#disconnect();
  }

  #entry(
    channel: string,
    listener: Pick<Listener<never>, "opened" | "closed">,
    deliver: (push: StreamPush) => void,
  ): Entry {
    let resolve: () => void = () => undefined;
    let reject: (error: TouchlineError) => void = () => undefined;
    const opened = new Promise<void>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    // A caller that does not await `opened` learns of the end from the listener.
    opened.catch(() => undefined);
    const entry: Entry = {
      channel,
      listener,
      deliver,
      opened,
      resolve,
      reject,
      isOpen: false,
      close: () => this.#unsubscribe(entry),
    };
    return entry;
  }

  #unsubscribe(entry: Entry): void {
    const entries = this.#entries.get(entry.channel);
    if (entries?.delete(entry) !== true) return;
    entry.reject(subscriptionClosed());
    if (entries.size > 0) return;
    this.#entries.delete(entry.channel);
    if (this.#entries.size === 0) this.#disconnect();
    else this.#connection?.unsubscribe([entry.channel]);
  }

  #connect(): void {
    this.#reconnect = undefined;
    const { connector, ws, timer, timing } = this.#options;
    // One request per channel, so that a refusal affects only its own channel.
    const subscriptions = () => [...this.#entries.keys()].map((channel) => [channel]);
    this.#connection = new StreamConnection(
      {
        connector,
        url: ws,
        clock: noClock,
        timer,
        timing,
        decoder,
        subscriptions,
        // One connection serves all channels of a program, so the wording of one reply must not end it.
        anyTextConfirms: true,
      },
      (connection) => ({
        opened: () => connection.watch(),
        confirmed: (channels) => this.#onConfirmed(channels),
        refused: (channels, refusal) => this.#onRefused(channels, refusal),
        data: (push) => this.#onPush(push),
        pong: () => this.#backoff.succeeded(),
        unreadable: (reason) => this.#options.unreadable?.(reason),
        over: (reason) => this.#onOver(reason),
      }),
    );
  }

  #onPush(push: StreamPush): void {
    for (const entry of this.#entries.get(push.channel) ?? []) {
      // Skip messages from before the confirmation.
      if (entry.isOpen) entry.deliver(push);
    }
  }

  #onConfirmed(channels: readonly string[]): void {
    for (const channel of channels) {
      for (const entry of this.#entries.get(channel) ?? []) {
        if (!entry.isOpen) this.#open(entry);
      }
    }
  }

  #onRefused(channels: readonly string[], { code, message }: StreamRefusal): void {
    for (const channel of channels) {
      const entries = this.#entries.get(channel) ?? [];
      this.#entries.delete(channel);
      for (const entry of entries) {
        entry.reject(new VenueError(code, message, `the channel ${channel}`, undefined));
        this.#end(entry, `refused: ${message} (${code})`);
      }
    }
    if (this.#entries.size === 0) this.#disconnect();
  }

  #open(entry: Entry): void {
    entry.isOpen = true;
    entry.resolve();
    entry.listener.opened?.();
  }

  #end(entry: Entry, reason: string): void {
    entry.reject(subscriptionClosed());
    entry.isOpen = false;
    entry.listener.closed?.(reason);
  }

  /** The connection ended: reports it to every listener and reconnects after a wait. */
  #onOver(reason: string): void {
    this.#connection = undefined;
    this.#reconnect = this.#options.timer.after(this.#backoff.failed(), () => this.#connect());
    for (const entries of this.#entries.values()) {
      for (const entry of entries) {
        if (!entry.isOpen) continue;
        entry.isOpen = false;
        entry.listener.closed?.(reason);
      }
    }
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#reconnect?.cancel();
    this.#reconnect = undefined;
  }
}

function isOf<Kind extends ChannelKind>(
  kind: Kind,
  push: StreamPush,
): push is StreamPush & { readonly kind: Kind; readonly payload: PayloadOf<Channels[Kind]> } {
  return push.kind === kind;
}

function subscriptionClosed(): TransportError {
  return new TransportError("not-sent", "SUBSCRIPTION_CLOSED", "The subscription was closed.");
}
