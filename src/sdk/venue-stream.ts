import { TouchlineError, TransportError } from "../base/error.ts";
import type { Prng } from "../base/prng.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import { VenueError } from "../gateway/venue-error.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { ChannelKind, Channels } from "../spec/channels.ts";
import {
  channelName,
  decodeServerFrame,
  encodeStreamRequest,
  type StreamReply,
} from "../spec/stream.ts";
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
  /** Told of frames that break the interface; a message may have been lost with each. */
  readonly unreadable?: ((reason: string) => void) | undefined;
}

/** What a subscription tells; payloads are as on the wire. */
export interface Listener<Payload> {
  message(payload: Payload): void;
  /** The channel is confirmed: at first, and again after each `closed`. */
  opened?(): void;
  /** Messages are missed from here until `opened` comes again: ask REST for what they would have said. */
  closed?(reason: string): void;
}

export interface Subscription {
  /** Resolves with the first confirmation; rejects with VenueError when the venue refuses the channel. */
  readonly opened: Promise<void>;
  /** Nothing is told any more; the venue is told to send nothing, too. */
  close(): void;
}

interface Entry extends Subscription {
  readonly channel: string;
  readonly listener: Listener<never>;
  resolve(): void;
  reject(error: TouchlineError): void;
  isOpen: boolean;
}

/** Requests on one connection that may wait for their reply. */
const MAX_CHANNELS = 1_000;
const decoder = new TextDecoder();

/**
 * Subscriptions over one connection, made when the first one is wanted and left with the last. It connects again by itself, and
 * says `closed` and `opened` to every listener, since what was pushed in between is lost. A dead socket is found by own pings.
 */
export class VenueStream {
  readonly #options: VenueStreamOptions;
  readonly #entries = new Map<string, Set<Entry>>();
  /** Channels asked for, by the id of the request. */
  readonly #requested = new Map<number, string>();
  #socket: Socket | undefined;
  #isUp = false;
  #wait: TimerHandle | undefined;
  #failures = 0;
  #requests = 0;
  #isPinged = false;

  constructor(options: VenueStreamOptions) {
    this.#options = options;
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
    const entry = this.#entry(name.text, listener);
    const others = known ?? new Set();
    this.#entries.set(name.text, others);
    const isConfirmed = [...others].some(({ isOpen }) => isOpen);
    others.add(entry);
    if (this.#socket === undefined && this.#wait === undefined) this.#connect();
    else if (isConfirmed) this.#open(entry);
    else if (known === undefined && this.#isUp) this.#request("subscribe", name.text);
    return entry;
  }

  /** Ends every subscription and the connection. */
  close(): void {
    for (const entries of this.#entries.values()) {
      for (const entry of entries) this.#end(entry, "closed by its owner");
    }
    this.#entries.clear();
    this.#leave();
  }

  #entry(channel: string, listener: Listener<never>): Entry {
    let resolve: () => void = () => undefined;
    let reject: (error: TouchlineError) => void = () => undefined;
    const opened = new Promise<void>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    // Who does not wait for it has the listener.
    opened.catch(() => undefined);
    const entry: Entry = {
      channel,
      listener,
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
    entry.reject(givenUp());
    if (entries.size > 0) return;
    this.#entries.delete(entry.channel);
    if (this.#entries.size === 0) this.#leave();
    else if (this.#isUp) this.#request("unsubscribe", entry.channel);
  }

  #connect(): void {
    const { connector, ws, timer, timing } = this.#options;
    this.#wait = timer.after(timing.openMs, () => {
      this.#over(socket, `not open within ${timing.openMs} ms`);
    });
    const socket: Socket = connector.connect(ws, {
      opened: () => {
        if (socket !== this.#socket) return;
        this.#isUp = true;
        // One request a channel: a refused one does not take the others with it.
        for (const channel of this.#entries.keys()) this.#request("subscribe", channel);
        this.#ping();
      },
      frame: (data) => {
        if (socket === this.#socket) this.#onFrame(decoder.decode(data));
      },
      pong: () => {
        if (socket === this.#socket) this.#onPong();
      },
      closed: (code, reason) => {
        this.#over(socket, `closed with code ${code}${reason === "" ? "" : `, ${reason}`}`);
      },
    });
    this.#socket = socket;
  }

  #ping(): void {
    const { timer, timing } = this.#options;
    const socket = this.#socket;
    this.#wait?.cancel();
    this.#isPinged = true;
    socket?.ping();
    this.#wait = timer.after(timing.pongMs, () => {
      if (socket !== undefined)
        this.#over(socket, `no answer to a ping within ${timing.pongMs} ms`);
    });
  }

  #onPong(): void {
    if (!this.#isPinged) return;
    this.#isPinged = false;
    this.#failures = 0;
    this.#wait?.cancel();
    this.#wait = this.#options.timer.after(this.#options.timing.pingMs, () => this.#ping());
  }

  #request(method: "subscribe" | "unsubscribe", channel: string): void {
    this.#requests += 1;
    const id = this.#requests;
    if (method === "subscribe") this.#requested.set(id, channel);
    this.#socket?.send(encodeStreamRequest({ method, params: { channels: [channel] }, id }));
  }

  #onFrame(text: string): void {
    const frame = decodeServerFrame(text);
    if (!frame.ok) this.#options.unreadable?.(frame.error);
    else if (frame.value.type === "reply") this.#onReply(frame.value.reply);
    else {
      const { channel, payload } = frame.value.push;
      for (const entry of this.#entries.get(channel) ?? []) {
        // Before its confirmation nothing counts.
        if (entry.isOpen) entry.listener.message(payload as never);
      }
    }
  }

  #onReply(reply: StreamReply): void {
    if (reply.id === null) return;
    const channel = this.#requested.get(reply.id);
    if (channel === undefined) return;
    this.#requested.delete(reply.id);
    const entries = [...(this.#entries.get(channel) ?? [])];
    if (!("error" in reply)) {
      for (const entry of entries) if (!entry.isOpen) this.#open(entry);
      return;
    }
    const { code, message } = reply.error;
    this.#entries.delete(channel);
    for (const entry of entries) {
      entry.reject(new VenueError(code, message, `the channel ${channel}`, undefined));
      this.#end(entry, `refused: ${message} (${code})`);
    }
    if (this.#entries.size === 0) this.#leave();
  }

  #open(entry: Entry): void {
    entry.isOpen = true;
    entry.resolve();
    entry.listener.opened?.();
  }

  #end(entry: Entry, reason: string): void {
    entry.reject(givenUp());
    entry.isOpen = false;
    entry.listener.closed?.(reason);
  }

  /** The connection is over, and another one is made after a while. */
  #over(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    const { timer, timing, prng } = this.#options;
    this.#drop();
    socket.terminate();
    const fullMs = Math.min(timing.backoffMs * 2 ** this.#failures, timing.backoffMaxMs);
    this.#failures = Math.min(this.#failures + 1, 30);
    this.#wait = timer.after(Math.round(fullMs * (0.5 + 0.5 * prng.unit())), () => this.#connect());
    for (const entries of this.#entries.values()) {
      for (const entry of entries) {
        if (!entry.isOpen) continue;
        entry.isOpen = false;
        entry.listener.closed?.(reason);
      }
    }
  }

  #leave(): void {
    const socket = this.#socket;
    this.#drop();
    socket?.close();
  }

  #drop(): void {
    this.#socket = undefined;
    this.#isUp = false;
    this.#isPinged = false;
    this.#requested.clear();
    this.#wait?.cancel();
    this.#wait = undefined;
  }
}

function givenUp(): TransportError {
  return new TransportError("not-sent", "SUBSCRIPTION_CLOSED", "The subscription was closed.");
}
