import type { Prng } from "../base/prng.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";
import { channelName, encodeStreamRequest, type StreamReply } from "../spec/stream.ts";
import type { ChannelKind } from "../spec/channels.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { StreamDecoder } from "./stream-decoder.ts";

/** Periods and patience of the stream connection, milliseconds. */
export interface StreamTiming {
  /** Between the answer to a ping and the next ping. */
  readonly pingMs: number;
  /** A ping unanswered for this long is a dead socket. */
  readonly pongMs: number;
  /** Silence of data for this long is reported as `stalled`. */
  readonly stallMs: number;
  /** Connecting and the confirmation of the channels take no longer. */
  readonly openMs: number;
  /** Wait before connecting again: doubles from the first to the second, less up to half by chance. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
}

export const defaultStreamTiming: StreamTiming = {
  pingMs: 5_000,
  pongMs: 5_000,
  stallMs: 20_000,
  openMs: 10_000,
  backoffMs: 250,
  backoffMaxMs: 10_000,
};

export interface StreamsOptions {
  readonly connector: SocketConnector;
  readonly url: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Jitter of the waits. */
  readonly prng: Prng;
  readonly keccak256: Keccak256;
  readonly markets: readonly MarketId[];
  /** Whose events are wanted; undefined for public data only. */
  readonly owner: Address | undefined;
  readonly timing?: StreamTiming;
  /** `receivedUs`: monotonic time of the socket's callback. */
  push(input: Input, receivedUs: number): void;
}

/** Channels of one market that a bot follows. */
const marketChannels: readonly ChannelKind[] = ["depth", "trade", "depthSnapshot"];

interface Connection {
  readonly socket: Socket;
  readonly since: number;
  isOpen: boolean;
  isOver: boolean;
  /** Ends the wait for confirmation, for a pong, or for the time of the next ping. */
  wait: TimerHandle | undefined;
  requestId: number;
  lastDataUs: number;
  isStalled: boolean;
}

/** A connection that lived this long was a good one: the next wait is a short one again. */
const GOOD_LIFE_US = 30_000_000;
/** Unreadable frames ask REST at most this often. */
const UNREADABLE_REPORT_US = 1_000_000;

/**
 * The one WebSocket to the venue: connects, subscribes, watches it with pings of our own, connects again. `opened` goes out
 * when every channel is confirmed, `closed` when that connection is over; data comes only between the two.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #timing: StreamTiming;
  readonly #decoder: StreamDecoder;
  readonly #channels: readonly string[];
  #connection: Connection | undefined;
  #reconnect: TimerHandle | undefined;
  #failures = 0;
  #requests = 0;
  #unreadable = 0;
  #unreadableReportedUs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultStreamTiming;
    this.#decoder = new StreamDecoder(options.markets);
    this.#channels = channelsOf(options);
  }

  /** Frames that could not be read since the start. */
  get unreadable(): number {
    return this.#unreadable;
  }

  start(): void {
    this.#connect();
  }

  /** Cuts the connection and makes a new one: the way to shed what cannot be taken in. */
  restart(reason: string): void {
    const connection = this.#connection;
    if (connection !== undefined) this.#over(connection, reason);
  }

  /** Closes for good; nothing is pushed any more. */
  stop(): void {
    this.#isStopped = true;
    this.#reconnect?.cancel();
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.isOver = true;
    connection.wait?.cancel();
    connection.socket.close();
    this.#connection = undefined;
  }

  #connect(): void {
    this.#reconnect = undefined;
    const { connector, url, clock, timer } = this.#options;
    const holder: { made?: Connection } = {};
    const current = (): Connection | undefined =>
      holder.made?.isOver === false ? holder.made : undefined;
    const socket = connector.connect(url, {
      opened: () => {
        const connection = current();
        if (connection !== undefined) this.#subscribe(connection);
      },
      frame: (data) => {
        const connection = current();
        if (connection !== undefined) this.#onFrame(connection, data);
      },
      pong: () => {
        const connection = current();
        if (connection !== undefined) this.#onPong(connection);
      },
      closed: (code, reason) => {
        const connection = current();
        const why = reason === "" ? "" : `, ${reason}`;
        if (connection !== undefined) this.#over(connection, `closed with code ${code}${why}`);
      },
    });
    const nowUs = clock.monotonicUs();
    const connection: Connection = {
      socket,
      since: nowUs,
      isOpen: false,
      isOver: false,
      wait: undefined,
      requestId: 0,
      lastDataUs: nowUs,
      isStalled: false,
    };
    holder.made = connection;
    connection.wait = timer.after(this.#timing.openMs, () => {
      this.#over(connection, `not open and subscribed within ${this.#timing.openMs} ms`);
    });
    this.#connection = connection;
  }

  #subscribe(connection: Connection): void {
    this.#requests += 1;
    connection.requestId = this.#requests;
    const channels = [...this.#channels];
    connection.socket.send(
      encodeStreamRequest({ method: "subscribe", params: { channels }, id: this.#requests }),
    );
  }

  #onFrame(connection: Connection, data: Uint8Array): void {
    const receivedUs = this.#options.clock.monotonicUs();
    const frame = this.#decoder.decode(data);
    switch (frame.type) {
      case "reply":
        this.#onReply(connection, frame.reply, receivedUs);
        return;
      case "unreadable":
        this.#onUnreadable(connection, frame.why, receivedUs);
        return;
      case "ignored":
        return;
      case "input":
        connection.lastDataUs = receivedUs;
        connection.isStalled = false;
        // Before the confirmation nothing counts: REST is asked for all of it after `opened`.
        if (connection.isOpen) this.#options.push(frame.input, receivedUs);
    }
  }

  #onReply(connection: Connection, reply: StreamReply, receivedUs: number): void {
    if ("error" in reply) {
      const { code, message } = reply.error;
      this.#options.log.error(
        { code, venueMessage: message, channels: this.#channels },
        "the venue refused the subscription",
      );
      this.#over(connection, `subscription refused: ${message} (${code})`);
      return;
    }
    if (connection.isOpen || reply.id !== connection.requestId) return;
    if (reply.result !== "ok") {
      this.#over(connection, `subscription answered with "${reply.result.slice(0, 80)}"`);
      return;
    }
    connection.isOpen = true;
    connection.lastDataUs = receivedUs;
    this.#options.push({ type: "stream", state: "opened", reason: "" }, receivedUs);
    this.#ping(connection);
  }

  #onUnreadable(connection: Connection, why: string, receivedUs: number): void {
    this.#unreadable += 1;
    if (receivedUs - this.#unreadableReportedUs < UNREADABLE_REPORT_US) return;
    this.#unreadableReportedUs = receivedUs;
    this.#options.log.warn({ why, unreadable: this.#unreadable }, "a frame could not be read");
    // It may have been an event of our orders: REST knows.
    if (connection.isOpen) {
      const reason = `unreadable frame: ${why}`;
      this.#options.push({ type: "stream", state: "stalled", reason }, receivedUs);
    }
  }

  #ping(connection: Connection): void {
    connection.wait?.cancel();
    connection.socket.ping();
    connection.wait = this.#options.timer.after(this.#timing.pongMs, () => {
      this.#over(connection, `no answer to a ping within ${this.#timing.pongMs} ms`);
    });
  }

  #onPong(connection: Connection): void {
    if (!connection.isOpen) return;
    const { clock, timer } = this.#options;
    const nowUs = clock.monotonicUs();
    this.#options.push({ type: "stream", state: "alive", reason: "" }, nowUs);
    const silentMs = (nowUs - connection.lastDataUs) / 1000;
    if (!connection.isStalled && silentMs >= this.#timing.stallMs) {
      connection.isStalled = true;
      const reason = `no data for ${Math.round(silentMs)} ms`;
      this.#options.push({ type: "stream", state: "stalled", reason }, nowUs);
    }
    connection.wait?.cancel();
    connection.wait = timer.after(this.#timing.pingMs, () => this.#ping(connection));
  }

  /** The connection is no good any more, whoever says so; told once. */
  #over(connection: Connection, reason: string): void {
    if (connection.isOver) return;
    connection.isOver = true;
    connection.wait?.cancel();
    connection.socket.terminate();
    this.#connection = undefined;
    if (this.#isStopped) return;
    const { clock, timer, prng, log } = this.#options;
    const nowUs = clock.monotonicUs();
    if (connection.isOpen && nowUs - connection.since >= GOOD_LIFE_US) this.#failures = 0;
    const { backoffMs, backoffMaxMs } = this.#timing;
    const fullMs = Math.min(backoffMs * 2 ** this.#failures, backoffMaxMs);
    const waitMs = Math.round(fullMs * (0.5 + 0.5 * prng.unit()));
    this.#failures = Math.min(this.#failures + 1, 30);
    log.warn({ reason, waitMs }, "the stream is closed and will be opened again");
    this.#options.push({ type: "stream", state: "closed", reason }, nowUs);
    this.#reconnect = timer.after(waitMs, () => this.#connect());
  }
}

function channelsOf(options: StreamsOptions): readonly string[] {
  const names: string[] = [];
  const add = (kind: ChannelKind, parameter: string): void => {
    const name = channelName(kind, parameter, options.keccak256);
    if (name !== undefined) names.push(name.text);
  };
  for (const market of options.markets) for (const kind of marketChannels) add(kind, market);
  if (options.owner !== undefined) add("userEvent", options.owner);
  return names;
}
