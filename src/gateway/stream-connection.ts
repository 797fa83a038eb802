import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Socket, SocketConnector, SocketHandlers } from "../ports/socket.ts";
import { encodeStreamRequest, type StreamReply } from "../spec/stream.ts";
import type { FrameDecoder } from "./stream-decoder.ts";
import type { StreamTiming } from "./stream-timing.ts";

export interface StreamConnectionOptions {
  readonly connector: SocketConnector;
  readonly url: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly timing: StreamTiming;
  readonly decoder: FrameDecoder;
  readonly channels: readonly string[];
}

/** What a connection tells its owner; `over` once, and nothing after it. */
export interface StreamConnectionEvents {
  /** Every channel is subscribed. */
  confirmed(receivedUs: number): void;
  /** Data; before `confirmed`, too, should the venue send some. */
  input(input: Input, receivedUs: number): void;
  /** A ping was answered. `silentMs`: since the last data, when that is reported now; undefined otherwise. */
  pong(receivedUs: number, silentMs: number | undefined): void;
  unreadable(reason: string, receivedUs: number): void;
  over(reason: string): void;
}

/**
 * One WebSocket to the venue with all channels on it. It is over when it closes, is not open and subscribed in time, is refused
 * its channels, or leaves a ping unanswered (once `watch` was called).
 */
export class StreamConnection {
  readonly #options: StreamConnectionOptions;
  readonly #events: StreamConnectionEvents;
  readonly #socket: Socket;
  readonly #requestId: number;
  /** The wait for the confirmation, for a pong, or for the time of the next ping. */
  #wait: TimerHandle | undefined;
  #isConfirmed = false;
  #isPinged = false;
  #isOver = false;
  #isStalled = false;
  #lastDataUs: number;

  constructor(
    options: StreamConnectionOptions,
    requestId: number,
    events: (connection: StreamConnection) => StreamConnectionEvents,
  ) {
    this.#options = options;
    this.#requestId = requestId;
    this.#events = events(this);
    const { connector, url, clock, timer, timing } = options;
    this.#lastDataUs = clock.monotonicUs();
    this.#wait = timer.after(timing.openMs, () => {
      this.fail(`not open and subscribed within ${timing.openMs} ms`);
    });
    this.#socket = connector.connect(url, this.#handlers());
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** A ping of ours is not answered yet. */
  get isPinged(): boolean {
    return this.#isPinged;
  }

  /** Pings now, and from then on whenever the last answer is old enough. */
  watch(): void {
    const { timer, timing } = this.#options;
    this.#wait?.cancel();
    this.#isPinged = true;
    this.#socket.ping();
    this.#wait = timer.after(timing.pongMs, () => {
      this.fail(`no answer to a ping within ${timing.pongMs} ms`);
    });
  }

  /** Closes it; nothing of it counts from here on. */
  leave(): void {
    this.#isOver = true;
    this.#wait?.cancel();
    this.#socket.close();
  }

  /** Cuts it: it is no good any more. */
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
        if (!this.#isOver) this.#subscribe();
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

  #subscribe(): void {
    const channels = [...this.#options.channels];
    const id = this.#requestId;
    this.#socket.send(encodeStreamRequest({ method: "subscribe", params: { channels }, id }));
  }

  #onFrame(data: Uint8Array): void {
    const receivedUs = this.#options.clock.monotonicUs();
    const frame = this.#options.decoder.decode(data);
    switch (frame.type) {
      case "input":
        this.#lastDataUs = receivedUs;
        this.#isStalled = false;
        this.#events.input(frame.input, receivedUs);
        return;
      case "reply":
        this.#onReply(frame.reply, receivedUs);
        return;
      case "unreadable":
        this.#events.unreadable(frame.reason, receivedUs);
        return;
      case "ignored":
        return;
    }
  }

  #onReply(reply: StreamReply, receivedUs: number): void {
    const { log, channels } = this.#options;
    if ("error" in reply) {
      const { code, message } = reply.error;
      log.error({ code, venueMessage: message, channels }, "the venue refused the subscription");
      this.fail(`subscription refused: ${message} (${code})`);
      return;
    }
    if (this.#isConfirmed || reply.id !== this.#requestId) return;
    if (reply.result !== "ok") {
      this.fail(`subscription answered with "${reply.result.slice(0, 80)}"`);
      return;
    }
    this.#wait?.cancel();
    this.#isConfirmed = true;
    this.#lastDataUs = receivedUs;
    this.#events.confirmed(receivedUs);
  }

  #onPong(): void {
    if (!this.#isPinged) return;
    this.#isPinged = false;
    const { clock, timer, timing } = this.#options;
    const nowUs = clock.monotonicUs();
    const silentMs = (nowUs - this.#lastDataUs) / 1000;
    const isNew = !this.#isStalled && silentMs >= timing.stallMs;
    if (isNew) this.#isStalled = true;
    this.#wait?.cancel();
    this.#wait = timer.after(timing.pingMs, () => this.watch());
    this.#events.pong(nowUs, isNew ? silentMs : undefined);
  }
}
