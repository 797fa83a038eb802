import type { Prng } from "../base/prng.ts";
import type { StreamChannel } from "../domain/stream-channel.ts";
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
  /** Source of the jitter of waits. */
  readonly prng: Prng;
  readonly keccak256: Keccak256;
  readonly markets: readonly MarketId[];
  /** The account whose events to subscribe to; undefined: public data only. */
  readonly owner: Address | undefined;
  readonly timing?: StreamTiming;
  /** Default: a StreamDecoder of these markets. */
  readonly decoder?: FrameDecoder;
  /** `receivedUs`: monotonic time of the socket's callback. */
  push(input: Input, receivedUs: number): void;
}

/** Channels of one market that a bot follows. */
const marketChannels: readonly ChannelKind[] = ["depth", "trade", "depthSnapshot"];

/** A connection that will replace the current one. */
interface Successor {
  readonly connection: StreamConnection<Input>;
  readonly overlap: Overlap;
  /**
   * A ping on the current connection, sent after this one was confirmed. Once its pong arrives, all data that the venue sent
   * before this connection was subscribed has arrived, too.
   */
  fence: "wanted" | "sent" | "passed";
  /** The overlap has lasted long enough. The handover no longer waits for quiet markets to become comparable. */
  isDue: boolean;
  due: TimerHandle | undefined;
}

/** A confirmed connection that lived this long resets the backoff. */
const GOOD_LIFE_US = 30_000_000;
/** Unreadable frames are reported at most this often. */
const UNREADABLE_REPORT_US = 1_000_000;
/** A connection is replaced early by up to this share of its lifetime, so that the bots of a venue do not reconnect together. */
const LIFETIME_JITTER = 0.05;

/**
 * The venue's stream: connects, subscribes, checks the socket with pings and reconnects. It pushes `opened` when every channel
 * is confirmed and `closed` when that connection ends, and data only between the two.
 *
 * Before a connection reaches its age limit (§6.1), a second one is opened and subscribed. The old one stays the source until
 * none of its data can be outstanding; then the new one continues from there. The handover itself pushes no input.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #timing: StreamTiming;
  readonly #decoder: FrameDecoder;
  readonly #channels: readonly string[];
  readonly #backoff: Backoff;
  /** The connection whose data is pushed. */
  #current: StreamConnection<Input> | undefined;
  #successor: Successor | undefined;
  /** The overlap of the last handover, kept while the new connection may still repeat data of the old one. */
  #joined: Overlap | undefined;
  #forgetJoined: TimerHandle | undefined;
  /** Channels that are being subscribed to again, by name. */
  readonly #resubscribed = new Map<
    string,
    { readonly channel: StreamChannel; readonly connection: StreamConnection<Input> }
  >();
  #sinceUs = 0;
  #reconnect: TimerHandle | undefined;
  #renewal: TimerHandle | undefined;
  /** Time of the last data before the stall that was reported last; NaN before the first stall. */
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

  /** Number of unreadable frames since the start. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Number of handovers to a new connection since the start. */
  get handovers(): number {
    return this.#handovers;
  }

  start(): void {
    this.#connect();
  }

  /** Cuts the connection and opens a new one, to shed data when the bot falls behind. */
  restart(reason: string): void {
    this.#dropSuccessor();
    this.#current?.fail(reason);
  }

  /** Subscribes to one channel again and pushes `resubscribed` when the venue has confirmed it. */
  resubscribe(channel: StreamChannel): void {
    const name = this.#nameOf(channel);
    const connection = this.#current;
    // During a handover the next connection has a new subscription anyway.
    if (name === undefined || connection?.isConfirmed !== true || this.#successor !== undefined) {
      return;
    }
    this.#options.log.warn({ channel: name }, "subscribing to a channel anew");
    this.#resubscribed.set(name, { channel, connection });
    connection.unsubscribe([name]);
    connection.subscribe([name]);
  }

  #nameOf(channel: StreamChannel): string | undefined {
    const { owner, keccak256 } = this.#options;
    const parameter = channel.kind === "userEvent" ? owner : channel.marketId;
    return parameter === undefined
      ? undefined
      : channelName(channel.kind, parameter, keccak256)?.text;
  }

  /** Closes for good; pushes nothing afterwards. */
  stop(): void {
    this.#isStopped = true;
    this.#reconnect?.cancel();
    this.#renewal?.cancel();
    this.#forgetJoined?.cancel();
    this.#dropSuccessor();
    this.#current?.close();
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
        confirmed: (channels, receivedUs) => {
          if (!this.#onResubscribed(connection, channels, receivedUs)) {
            this.#onConfirmed(connection, receivedUs);
          }
        },
        refused: (_, refusal) => this.#onRefused(connection, refusal),
        data: (input, receivedUs) => this.#onInput(connection, input, receivedUs),
        pong: (receivedUs, lastDataUs) => this.#onPong(connection, receivedUs, lastDataUs),
        unreadable: (reason, receivedUs) => this.#onUnreadable(connection, reason, receivedUs),
        over: (reason) => this.#onOver(connection, reason),
      }),
    );
  }

  /** False when it was the first subscription of the connection. */
  #onResubscribed(
    connection: StreamConnection<Input>,
    [name = ""]: readonly string[],
    receivedUs: number,
  ): boolean {
    const wanted = this.#resubscribed.get(name);
    if (wanted?.connection !== connection) return false;
    this.#resubscribed.delete(name);
    if (connection === this.#current) {
      this.#options.push({ type: "resubscribed", channel: wanted.channel }, receivedUs);
    }
    return true;
  }

  #onConfirmed(connection: StreamConnection<Input>, receivedUs: number): void {
    const successor = this.#successor;
    if (successor?.connection === connection) this.#beginOverlap(successor);
    else {
      this.#push("opened", "", receivedUs);
      this.#watch(connection);
    }
  }

  #onInput(connection: StreamConnection<Input>, input: Input, receivedUs: number): void {
    const successor = this.#successor;
    if (successor?.connection === connection) {
      if (successor.overlap.hold(input, receivedUs)) this.#tryHandOver(successor);
      else connection.fail("too much data during the handover");
      return;
    }
    // Skip data from before the confirmation: after `opened` the kernel queries REST for the full state.
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
    // Report each silence once.
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
    // The frame may have been an event of our own orders; `stalled` makes the kernel query REST.
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
      log.warn({ reason }, "the stream closed; the next connection takes over");
      this.#sinceUs = nowUs;
      this.#current = successor.connection;
      if (!successor.connection.isConfirmed) return;
      // Data that the old connection did not deliver is lost; after `opened` the kernel queries REST for the full state.
      this.#push("opened", "", nowUs);
      this.#continueWith(successor);
      return;
    }
    const waitMs = Math.max(0, this.#backoff.failed() - Math.round((nowUs - this.#sinceUs) / 1000));
    log.warn({ reason, waitMs }, "the stream closed and will reconnect");
    this.#reconnect = timer.after(waitMs, () => this.#connect());
  }

  #push(
    state: Extract<Input, { type: "stream" }>["state"],
    reason: string,
    receivedUs: number,
  ): void {
    this.#options.push({ type: "stream", state, reason }, receivedUs);
  }

  // ── the handover to the next connection ───────────────────────────

  /** Starts the pings of the current connection and the timer that replaces it before its age limit. */
  #watch(connection: StreamConnection<Input>): void {
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
    old.close();
    this.#options.log.info({}, "the stream moved to a new connection");
    this.#continueWith(successor);
  }

  /** The successor is now the current connection: pushes its held inputs and watches it. */
  #continueWith({ connection, overlap, due }: Successor): void {
    due?.cancel();
    this.#joined = overlap;
    this.#forgetJoined?.cancel();
    this.#forgetJoined = this.#options.timer.after(this.#timing.overlapMs, () => {
      this.#joined = undefined;
    });
    for (const { input, receivedUs } of overlap.remaining()) this.#options.push(input, receivedUs);
    this.#watch(connection);
  }

  /** The current connection stays, and another successor is tried after a wait. */
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
    this.#successor?.connection.close();
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
