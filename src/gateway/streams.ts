import type { Prng } from "../base/prng.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import { channelName } from "../spec/stream.ts";
import type { ChannelKind } from "../spec/channels.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { Backoff } from "./backoff.ts";
import { Overlap } from "./overlap.ts";
import { StreamConnection, type StreamRefusal } from "./stream-connection.ts";
import { type FrameDecoder, StreamDecoder } from "./stream-decoder.ts";
import { defaultStreamTiming, type StreamTiming } from "./stream-timing.ts";

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
  /** Default: a StreamDecoder of these markets. */
  readonly decoder?: FrameDecoder;
  /** `receivedUs`: monotonic time of the socket's callback. */
  push(input: Input, receivedUs: number): void;
}

/** Channels of one market that a bot follows. */
const marketChannels: readonly ChannelKind[] = ["depth", "trade", "depthSnapshot"];

/** A connection that is to take the place of the one at work. */
interface Successor {
  readonly connection: StreamConnection<Input>;
  readonly overlap: Overlap;
  /**
   * A ping on the older connection, sent after the confirmation of this one: once it is answered, everything that was sent
   * before this one listened has arrived.
   */
  fence: "wanted" | "sent" | "passed";
  /** The overlap has lasted long enough: a market too quiet to compare is no reason to wait on. */
  isDue: boolean;
  due: TimerHandle | undefined;
}

/** A connection that lived this long was a good one: the next wait is a short one again. */
const GOOD_LIFE_US = 30_000_000;
/** Unreadable frames ask REST at most this often. */
const UNREADABLE_REPORT_US = 1_000_000;
/** The share of its life by which a connection is replaced early, at most: not all bots of a venue at once. */
const LIFETIME_JITTER = 0.05;

/**
 * The stream of the venue: connects, subscribes, watches the socket with pings of our own, connects again. `opened` goes out
 * when every channel is confirmed, `closed` when that connection is over; data comes only between the two.
 *
 * Before a connection reaches the end of its life (§6.1) the next one is opened and subscribed beside it. The old one goes on
 * being the source until nothing of it can be outstanding; then the new one goes on where it ended, and no input tells of it.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #timing: StreamTiming;
  readonly #decoder: FrameDecoder;
  readonly #channels: readonly string[];
  readonly #backoff: Backoff;
  /** The source of what is pushed. */
  #current: StreamConnection<Input> | undefined;
  #successor: Successor | undefined;
  /** Of the newest handover, until nothing that the older connection brought can come again. */
  #joined: Overlap | undefined;
  #forgetJoined: TimerHandle | undefined;
  #sinceUs = 0;
  #reconnect: TimerHandle | undefined;
  #renewal: TimerHandle | undefined;
  /** When the data came whose end was reported as a stall. */
  #stalledSinceUs = Number.NaN;
  #unreadable = 0;
  #unreadableReportedUs = Number.NEGATIVE_INFINITY;
  #handovers = 0;
  #isStopped = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultStreamTiming;
    this.#decoder = options.decoder ?? new StreamDecoder(options.markets);
    this.#channels = channelsOf(options);
    this.#backoff = new Backoff(this.#timing, options.prng);
  }

  /** Frames that could not be read since the start. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Connections that were replaced before their end. */
  get handovers(): number {
    return this.#handovers;
  }

  start(): void {
    this.#connect();
  }

  /** Cuts the connection and makes a new one: the way to shed what cannot be taken in. */
  restart(reason: string): void {
    this.#dropSuccessor();
    this.#current?.fail(reason);
  }

  /** Closes for good; nothing is pushed any more. */
  stop(): void {
    this.#isStopped = true;
    this.#reconnect?.cancel();
    this.#renewal?.cancel();
    this.#forgetJoined?.cancel();
    this.#dropSuccessor();
    this.#current?.leave();
    this.#current = undefined;
  }

  #connect(): void {
    this.#reconnect = undefined;
    this.#sinceUs = this.#options.clock.monotonicUs();
    this.#current = this.#open();
  }

  #open(): StreamConnection<Input> {
    const { connector, url, clock, timer } = this.#options;
    const decoder = this.#decoder;
    const subscriptions = () => [this.#channels];
    return new StreamConnection(
      { connector, url, clock, timer, timing: this.#timing, decoder, subscriptions },
      (connection) => ({
        confirmed: (_, receivedUs) => this.#onConfirmed(connection, receivedUs),
        refused: (_, refusal) => this.#onRefused(connection, refusal),
        data: (input, receivedUs) => this.#onInput(connection, input, receivedUs),
        pong: (receivedUs, lastDataUs) => this.#onPong(connection, receivedUs, lastDataUs),
        unreadable: (reason, receivedUs) => this.#onUnreadable(connection, reason, receivedUs),
        over: (reason) => this.#onOver(connection, reason),
      }),
    );
  }

  #onConfirmed(connection: StreamConnection<Input>, receivedUs: number): void {
    const successor = this.#successor;
    if (successor?.connection === connection) this.#beginOverlap(successor);
    else {
      this.#push("opened", "", receivedUs);
      this.#atWork(connection);
    }
  }

  #onInput(connection: StreamConnection<Input>, input: Input, receivedUs: number): void {
    const successor = this.#successor;
    if (successor?.connection === connection) {
      if (successor.overlap.hold(input, receivedUs)) this.#tryHandOver(successor);
      else connection.fail("more data than can be held while it takes over");
      return;
    }
    // Before the confirmation nothing counts: REST is asked for all of it after `opened`.
    if (!connection.isConfirmed || this.#joined?.isRepeat(input) === true) return;
    this.#options.push(input, receivedUs);
    if (successor === undefined) return;
    successor.overlap.note(input);
    this.#tryHandOver(successor);
  }

  #onRefused(connection: StreamConnection<Input>, { code, message }: StreamRefusal): void {
    const fields = { code, venueMessage: message, channels: this.#channels };
    this.#options.log.error(fields, "the venue refused the subscription");
    connection.fail(`subscription refused: ${message} (${code})`);
  }

  #onPong(connection: StreamConnection<Input>, receivedUs: number, lastDataUs: number): void {
    if (connection !== this.#current) return;
    this.#push("alive", "", receivedUs);
    const silentMs = (receivedUs - lastDataUs) / 1000;
    // Once for each silence.
    if (silentMs >= this.#timing.stallMs && lastDataUs !== this.#stalledSinceUs) {
      this.#stalledSinceUs = lastDataUs;
      this.#push("stalled", `no data for ${Math.round(silentMs)} ms`, receivedUs);
    }
    if (this.#successor !== undefined) this.#moveFence(this.#successor);
  }

  #onUnreadable(connection: StreamConnection<Input>, reason: string, receivedUs: number): void {
    this.#unreadable += 1;
    if (receivedUs - this.#unreadableReportedUs < UNREADABLE_REPORT_US) return;
    this.#unreadableReportedUs = receivedUs;
    this.#options.log.warn({ reason, unreadable: this.#unreadable }, "a frame could not be read");
    // It may have been an event of our orders: REST knows.
    if (connection.isConfirmed) this.#push("stalled", `unreadable frame: ${reason}`, receivedUs);
  }

  #onOver(connection: StreamConnection<Input>, reason: string): void {
    if (this.#isStopped) return;
    if (connection === this.#successor?.connection) this.#successorOver(this.#successor, reason);
    else if (connection === this.#current) this.#currentOver(connection, reason);
  }

  #currentOver(connection: StreamConnection<Input>, reason: string): void {
    const { clock, timer, log } = this.#options;
    const nowUs = clock.monotonicUs();
    const successor = this.#successor;
    this.#current = undefined;
    this.#successor = undefined;
    this.#joined = undefined;
    this.#renewal?.cancel();
    this.#push("closed", reason, nowUs);
    if (connection.isConfirmed && nowUs - this.#sinceUs >= GOOD_LIFE_US) this.#backoff.succeeded();
    if (successor !== undefined) {
      log.warn({ reason }, "the stream is closed, and the next connection is there already");
      this.#sinceUs = nowUs;
      this.#current = successor.connection;
      if (!successor.connection.isConfirmed) return;
      // What the old one did not bring any more is lost: after `opened` the kernel asks REST for all of it.
      this.#push("opened", "", nowUs);
      this.#goOn(successor);
      return;
    }
    const waitMs = this.#backoff.failed();
    log.warn({ reason, waitMs }, "the stream is closed and will be opened again");
    this.#reconnect = timer.after(waitMs, () => this.#connect());
  }

  #push(
    state: Extract<Input, { type: "stream" }>["state"],
    reason: string,
    receivedUs: number,
  ): void {
    this.#options.push({ type: "stream", state, reason }, receivedUs);
  }

  // ── the next connection beside the one at work ────────────────────

  /** The connection is the source now: it is watched, and replaced before it gets too old. */
  #atWork(connection: StreamConnection<Input>): void {
    const { timer, prng } = this.#options;
    connection.watch();
    const ageMs = this.#timing.lifetimeMs * (1 - LIFETIME_JITTER * prng.unit());
    this.#renewal?.cancel();
    this.#renewal = timer.after(ageMs, () => this.#renew(connection));
  }

  #renew(current: StreamConnection<Input>): void {
    if (current !== this.#current || this.#successor !== undefined) return;
    this.#successor = {
      connection: this.#open(),
      overlap: new Overlap(this.#options.markets),
      fence: "wanted",
      isDue: false,
      due: undefined,
    };
  }

  #beginOverlap(successor: Successor): void {
    successor.due = this.#options.timer.after(this.#timing.overlapMs, () => {
      successor.isDue = true;
      this.#tryHandOver(successor);
    });
    this.#moveFence(successor);
  }

  /** One ping at a time, since several may be answered by one pong (RFC 6455 §5.5.3). */
  #moveFence(successor: Successor): void {
    const current = this.#current;
    if (current === undefined || current.isPinged || !successor.connection.isConfirmed) return;
    if (successor.fence === "wanted") {
      successor.fence = "sent";
      current.watch();
    } else if (successor.fence === "sent") {
      successor.fence = "passed";
      this.#tryHandOver(successor);
    }
  }

  #tryHandOver(successor: Successor): void {
    const old = this.#current;
    if (old === undefined || successor !== this.#successor || successor.fence !== "passed") return;
    if (!successor.isDue && !successor.overlap.isJoined) return;
    this.#successor = undefined;
    this.#current = successor.connection;
    this.#sinceUs = this.#options.clock.monotonicUs();
    this.#backoff.succeeded();
    this.#handovers += 1;
    old.leave();
    this.#options.log.info({}, "the stream moved to a new connection");
    this.#goOn(successor);
  }

  /** The successor is the one at work; what it held goes out now. */
  #goOn({ connection, overlap, due }: Successor): void {
    due?.cancel();
    this.#joined = overlap;
    this.#forgetJoined?.cancel();
    this.#forgetJoined = this.#options.timer.after(this.#timing.overlapMs, () => {
      this.#joined = undefined;
    });
    for (const { input, receivedUs } of overlap.rest()) this.#options.push(input, receivedUs);
    this.#atWork(connection);
  }

  /** The connection at work goes on, and another successor is tried soon. */
  #successorOver(successor: Successor, reason: string): void {
    const { timer, log } = this.#options;
    const current = this.#current;
    successor.due?.cancel();
    this.#successor = undefined;
    const waitMs = this.#backoff.failed();
    log.warn({ reason, waitMs }, "the next stream connection failed and will be tried again");
    this.#renewal = timer.after(waitMs, () => {
      if (current !== undefined) this.#renew(current);
    });
  }

  #dropSuccessor(): void {
    this.#successor?.due?.cancel();
    this.#successor?.connection.leave();
    this.#successor = undefined;
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
