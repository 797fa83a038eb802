import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Socket, SocketConnector, SocketHandlers } from "../ports/socket.ts";
import { encodeStreamRequest, type StreamReply, type StreamRequest } from "../spec/stream.ts";
import type { FrameDecoder } from "./stream-decoder.ts";
import type { StreamTiming } from "./stream-timing.ts";

export interface StreamConnectionOptions<Data> {
  readonly connector: SocketConnector;
  readonly url: string;
  readonly clock: Pick<Clock, "monotonicUs">;
  readonly timer: Timer;
  readonly timing: Pick<StreamTiming, "openMs" | "pingMs" | "pongMs">;
  readonly decoder: FrameDecoder<Data>;
  /** The channels to subscribe to when the socket opens: one request for each list. A refusal covers all channels of a request. */
  subscriptions(): Iterable<readonly string[]>;
  /** Every reply that is not an error confirms its channels. By default only `ok` does, and any other text ends the connection. */
  readonly anyTextConfirms?: boolean;
}

/** A connection with more unreadable frames than this in a second ends: they cost time and may hide events. */
const UNREADABLE_MAX = 100;

/** Callbacks of a connection. `over` is called once, and no callback follows it. */
export interface StreamConnectionEvents<Data> {
  opened?(): void;
  /** The venue confirmed the channels of one request. */
  confirmed(channels: readonly string[], receivedUs: number): void;
  /** The venue refused a request; `channels` is empty when the reply does not name the request. */
  refused(channels: readonly string[], error: StreamRefusal): void;
  /** Called for data before the confirmation, too, should the venue send some. */
  data(data: Data, receivedUs: number): void;
  /** A pong arrived. `lastDataUs`: when the last data or confirmation arrived. */
  pong?(receivedUs: number, lastDataUs: number): void;
  unreadable(reason: string, receivedUs: number): void;
  over(reason: string): void;
}

export type StreamRefusal = Extract<StreamReply, { readonly error: unknown }>["error"];

/**
 * One WebSocket to the venue. It ends when the socket closes, when it is not open and confirmed in time (`watch` ends that wait),
 * or, after `watch`, when a pong is missing. It does not reconnect; its owner does.
 */
export class StreamConnection<Data> {
  readonly #options: StreamConnectionOptions<Data>;
  readonly #events: StreamConnectionEvents<Data>;
  readonly #socket: Socket;
  /** Channels of the subscriptions that the venue has not answered, by request id. */
  readonly #unanswered = new Map<number, readonly string[]>();
  #requests = 0;
  /** The wait for the confirmations, for a pong, or for the time of the next ping. */
  #wait: TimerHandle | undefined;
  #isOpen = false;
  #isConfirmed = false;
  #isWatched = false;
  #isPinged = false;
  #isOver = false;
  #lastDataUs: number;
  /** Unreadable frames since `#unreadableSinceUs`, which is moved every second. */
  #unreadable = 0;
  #unreadableSinceUs = Number.NEGATIVE_INFINITY;

  constructor(
    options: StreamConnectionOptions<Data>,
    events: (connection: StreamConnection<Data>) => StreamConnectionEvents<Data>,
  ) {
    this.#options = options;
    this.#events = events(this);
    const { connector, url, clock, timer, timing } = options;
    this.#lastDataUs = clock.monotonicUs();
    this.#wait = timer.after(timing.openMs, () => {
      this.fail(`not open and subscribed within ${timing.openMs} ms`);
    });
    this.#socket = connector.connect(url, this.#handlers());
  }

  /** The venue has confirmed every channel that was subscribed when the socket opened. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** A pong is outstanding. */
  get isPinged(): boolean {
    return this.#isPinged;
  }

  /** Subscribes to more channels in one request; does nothing before the socket is open. */
  subscribe(channels: readonly string[]): void {
    if (!this.#isOpen || this.#isOver) return;
    this.#unanswered.set(this.#request("subscribe", channels), channels);
  }

  unsubscribe(channels: readonly string[]): void {
    if (this.#isOpen && !this.#isOver) this.#request("unsubscribe", channels);
  }

  /** Sends text that is no request for channels. */
  send(text: string): void {
    this.#socket.send(text);
  }

  /** Pings now, and then `pingMs` after each pong. */
  watch(): void {
    const { timer, timing } = this.#options;
    this.#wait?.cancel();
    this.#isWatched = true;
    this.#isPinged = true;
    this.#socket.ping();
    this.#wait = timer.after(timing.pongMs, () => {
      this.fail(`no answer to a ping within ${timing.pongMs} ms`);
    });
  }

  /** Closes the socket; no callback follows. */
  close(): void {
    this.#isOver = true;
    this.#wait?.cancel();
    this.#socket.close();
  }

  /** Cuts the socket and calls `over`. */
  fail(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wait?.cancel();
    this.#socket.terminate();
    this.#events.over(reason);
  }

  #handlers(): SocketHandlers {
    return {
      opened: () => {
        if (!this.#isOver) this.#onOpened();
      },
      frame: (data) => {
        if (!this.#isOver) this.#onFrame(data);
      },
      pong: () => {
        if (!this.#isOver) this.#onPong();
      },
      closed: (code, reason) => {
        this.fail(`closed with code ${code}${reason === "" ? "" : `, ${reason}`}`);
      },
    };
  }

  #onOpened(): void {
    this.#isOpen = true;
    for (const channels of this.#options.subscriptions()) this.subscribe(channels);
    this.#events.opened?.();
  }

  #request(method: StreamRequest["method"], channels: readonly string[]): number {
    this.#requests += 1;
    const id = this.#requests;
    this.#socket.send(encodeStreamRequest({ method, params: { channels: [...channels] }, id }));
    return id;
  }

  #onFrame(data: Uint8Array): void {
    const receivedUs = this.#options.clock.monotonicUs();
    const frame = this.#options.decoder.decode(data);
    switch (frame.type) {
      case "input":
        this.#lastDataUs = receivedUs;
        this.#events.data(frame.input, receivedUs);
        return;
      case "reply":
        this.#onReply(frame.reply, receivedUs);
        return;
      case "unreadable":
        this.#onUnreadable(frame.reason, receivedUs);
        return;
      case "ignored":
        return;
    }
  }

  #onUnreadable(reason: string, receivedUs: number): void {
    if (receivedUs - this.#unreadableSinceUs >= 1_000_000) {
      this.#unreadableSinceUs = receivedUs;
      this.#unreadable = 0;
    }
    this.#unreadable += 1;
    this.#events.unreadable(reason, receivedUs);
    if (this.#unreadable > UNREADABLE_MAX) {
      this.fail(`more than ${UNREADABLE_MAX} unreadable frames in a second, such as: ${reason}`);
    }
  }

  #onReply(reply: StreamReply, receivedUs: number): void {
    const channels = reply.id === null ? undefined : this.#unanswered.get(reply.id);
    if (reply.id !== null) this.#unanswered.delete(reply.id);
    if ("error" in reply) {
      this.#events.refused(channels ?? [], reply.error);
      return;
    }
    // The reply to an unsubscription, or to the ping of a socket that sends pings as requests.
    if (channels === undefined) return;
    if (reply.result !== "ok" && this.#options.anyTextConfirms !== true) {
      this.fail(`subscription answered with "${reply.result.slice(0, 80)}"`);
      return;
    }
    if (this.#unanswered.size === 0) {
      this.#isConfirmed = true;
      if (!this.#isWatched) this.#wait?.cancel();
    }
    this.#lastDataUs = receivedUs;
    this.#events.confirmed(channels, receivedUs);
  }

  #onPong(): void {
    if (!this.#isPinged) return;
    this.#isPinged = false;
    const { clock, timer, timing } = this.#options;
    this.#wait?.cancel();
    this.#wait = timer.after(timing.pingMs, () => this.watch());
    this.#events.pong?.(clock.monotonicUs(), this.#lastDataUs);
  }
}
