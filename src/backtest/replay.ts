import { TouchlineError } from "../base/error.ts";
import type { OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { SummaryFold } from "../metrics/summary.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { RecordedStep } from "./recorded-step.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { type BotWatcher, VirtualBot } from "./virtual-bot.ts";

/** Told what happens, in order; `nowMs` is virtual. */
export interface ReplayWatcher extends BotWatcher {
  /** A recorded event was played into the exchange. Events before the start are played, too, to have the book that was there. */
  recorded(step: RecordedStep, isWarmUp: boolean): void;
  /** The bot is told to stop, or stopped by itself. */
  stopped(stopMs: UnixMs): void;
}

export interface ReplayOptions {
  readonly setup: ReplaySetup;
  /** In the order of `atUs`. */
  readonly steps: Iterable<RecordedStep>;
  readonly keccak256: Keccak256;
  /** The bot starts with the first event at or after this. */
  readonly fromMs?: number | undefined;
  /** Events after this are not played. */
  readonly toMs?: number | undefined;
  readonly watcher: ReplayWatcher;
}

export interface ReplayEnd {
  readonly startMs: UnixMs;
  /** When the bot was told to stop: the end of what was played, or when it stopped by itself. */
  readonly stopMs: UnixMs;
  readonly endMs: UnixMs;
  /** How the bot ended; undefined when its orders were not gone in time. */
  readonly finished: VirtualBot["finished"];
  readonly summary: SummaryFold;
  readonly orders: OwnOrders;
  /** Orders of the bot that are still open. */
  readonly ordersLeft: readonly OrderId[];
  /** As it stands at the end. */
  readonly exchange: Exchange;
  /** Recorded levels and trades that no order could express. */
  readonly ignored: number;
}

/**
 * Runs a bot over a recording in virtual time. Yields after every moment of it, so that the caller may look at something else
 * in between; what it does then changes nothing. Throws TouchlineError `REPLAY_EMPTY` when nothing is left to play.
 */
export function replay(options: ReplayOptions): Generator<undefined, ReplayEnd> {
  return new Replay(options).run();
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * A loop over the earliest of: a recorded event, and whatever the bot and its venue do by themselves. A command never overtakes
 * the market event of the same millisecond. Nothing in it waits, and no clock but the recording's counts.
 */
class Replay {
  readonly #options: ReplayOptions;
  readonly #steps: Iterator<RecordedStep>;
  readonly #bot: VirtualBot;
  /** The next recorded event to play; undefined when there is none. */
  #head: RecordedStep | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#steps = options.steps[Symbol.iterator]();
    this.#bot = new VirtualBot(options.setup, options.keccak256, options.watcher);
  }

  *run(): Generator<undefined, ReplayEnd> {
    const { fromMs = Number.NEGATIVE_INFINITY, watcher } = this.#options;
    const bot = this.#bot;
    this.#pull();
    while (this.#head !== undefined && this.#head.atMs < fromMs) {
      this.#play(this.#head, true);
      yield;
    }
    if (this.#head === undefined) throw nothingLeft();

    const startMs = this.#head.atMs;
    bot.start(startMs);
    while (this.#head !== undefined && bot.finished === undefined) {
      this.#tick(NEVER);
      yield;
    }
    // What was played last, and whatever else happens in that millisecond, comes before the word to stop.
    const stopMs = bot.nowMs;
    watcher.stopped(stopMs);
    bot.summary.stopSignal(stopMs);
    const lastMs = stopMs + this.#options.setup.kernel.timing.stopMs;
    bot.push({ type: "operator", command: "stop" });
    while (bot.finished === undefined && this.#tick(lastMs)) yield;
    return {
      startMs,
      stopMs,
      endMs: bot.nowMs,
      finished: bot.finished,
      summary: bot.summary,
      orders: bot.orders,
      ordersLeft: bot.venue.openOrders(bot.nowMs).map((order) => order.orderId),
      exchange: bot.venue.exchange,
      ignored: bot.venue.ignored,
    };
  }

  /** Goes to the next moment at which something happens and does all of it; false when that is after `untilMs`. */
  #tick(untilMs: number): boolean {
    const nextMs = Math.min(this.#head?.atMs ?? NEVER, this.#bot.nextMs);
    if (nextMs > untilMs) return false;
    const nowMs = unixMs(nextMs);
    this.#bot.moment(nowMs, () => {
      while (this.#head !== undefined && this.#head.atMs <= nowMs) this.#play(this.#head, false);
    });
    return true;
  }

  #pull(): void {
    const { toMs = NEVER } = this.#options;
    const next = this.#steps.next();
    this.#head = next.done === true || next.value.atMs > toMs ? undefined : next.value;
  }

  #play(step: RecordedStep, isWarmUp: boolean): void {
    this.#bot.venue.play(step.marketId, step.event, step.atMs);
    this.#options.watcher.recorded(step, isWarmUp);
    this.#pull();
  }
}

function nothingLeft(): TouchlineError {
  return new TouchlineError(
    "REPLAY_EMPTY",
    "The recording has nothing to play in the span that is asked for.",
    { hint: "`touchline recording info` shows what it holds; look at --from and --to." },
  );
}
