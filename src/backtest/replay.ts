import { TouchlineError } from "../base/error.ts";
import type { OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { OperatorCommand } from "../kernel/input.ts";
import type { Described } from "../domain/described.ts";
import type { SummaryFold } from "../metrics/summary-fold.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import type { SimulatedVenue } from "../simulated/simulated-venue.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { RecordedStep } from "./recorded-step.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import type { SourceStep } from "./source-inputs.ts";
import { type BotWatcher, VirtualBot } from "./virtual-bot.ts";

/** Callbacks of a replay, called in order; times are virtual. */
export interface ReplayWatcher extends BotWatcher {
  /** Called before the first event. */
  begins?(venue: SimulatedVenue): void;
  /** A recorded event was played into the exchange. Events before the bot's start only build the book (`isWarmUp`). */
  recorded(step: RecordedStep, isWarmUp: boolean): void;
  /** The bot received the command to stop, or stopped by itself. */
  stopped(stopMs: UnixMs): void;
}

export interface ReplayOptions {
  readonly setup: ReplaySetup;
  /** Sorted by `atUs`. */
  readonly steps: Iterable<RecordedStep>;
  readonly keccak256: Keccak256;
  /** The bot starts with the first event at or after this time. */
  readonly fromMs?: number | undefined;
  /** The bot starts at `fromMs` itself, also between two events. */
  readonly startsAtFrom?: boolean | undefined;
  /** Events after this time are not played. */
  readonly toMs?: number | undefined;
  /** What an operator told the bot, sorted by time; commands from before its start are given at the start. */
  readonly commands?: readonly TimedCommand[] | undefined;
  /** Values of price sources, sorted by time. */
  readonly sources?: Iterable<SourceStep> | undefined;
  readonly watcher: ReplayWatcher;
  /** False: the kernel takes a step for all market data, also for what nothing waits for. Decisions are the same. Default true. */
  readonly absorbs?: boolean;
}

export interface TimedCommand {
  readonly atMs: UnixMs;
  readonly command: OperatorCommand;
}

export interface ReplayEnd {
  readonly startMs: UnixMs;
  /** Time of the last played event, or the time at which the bot stopped by itself. */
  readonly stopMs: UnixMs;
  readonly endMs: UnixMs;
  /** How the bot ended; undefined when its orders were not canceled in time. */
  readonly finished: VirtualBot["finished"];
  readonly summary: SummaryFold;
  readonly described: ReadonlyMap<string, Described>;
  readonly orders: OwnOrders;
  /** Orders of the bot that are still open. */
  readonly ordersLeft: readonly OrderId[];
  /** The exchange in its final state. */
  readonly exchange: Exchange;
  /** Number of recorded levels and trades whose price or quantity no order can have. */
  readonly ignored: number;
}

/**
 * Runs a bot over a recording in virtual time. Yields after every moment, so that the caller can handle other events in between
 * without changing the result. Throws TouchlineError `REPLAY_EMPTY` when there is nothing to play.
 */
export function replay(options: ReplayOptions): Generator<undefined, ReplayEnd> {
  return new Replay(options).run();
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * A loop that moves virtual time to the next recorded event, message or timer. A recorded event comes before a command of the
 * same millisecond. The loop never waits and reads no clock.
 */
class Replay {
  readonly #options: ReplayOptions;
  readonly #steps: Iterator<RecordedStep>;
  readonly #bot: VirtualBot;
  /** The next recorded event to play; undefined when there is none. */
  #head: RecordedStep | undefined;
  readonly #commands: readonly TimedCommand[];
  #nextCommand = 0;
  readonly #sources: Iterator<SourceStep>;
  /** The next value of a source; undefined when there is none. */
  #nextSource: SourceStep | undefined;
  /** When the newest event was received that was read from the recording. */
  #readMs: UnixMs | undefined;
  /** Whether events from before `fromMs` were played. */
  #hasWarmedUp = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#steps = options.steps[Symbol.iterator]();
    this.#commands = options.commands ?? [];
    this.#sources = (options.sources ?? [])[Symbol.iterator]();
    this.#bot = new VirtualBot(
      options.setup,
      options.keccak256,
      options.watcher,
      options.absorbs ?? true,
    );
  }

  *run(): Generator<undefined, ReplayEnd> {
    const { fromMs = Number.NEGATIVE_INFINITY, startsAtFrom = false, watcher } = this.#options;
    const bot = this.#bot;
    watcher.begins?.(bot.venue);
    this.#pull();
    while (this.#head !== undefined && this.#head.atMs < fromMs) {
      this.#play(this.#head, true);
      this.#hasWarmedUp = true;
      yield;
    }
    if (this.#head === undefined) throw this.#nothingToPlay();

    const startMs = startsAtFrom ? unixMs(fromMs) : this.#head.atMs;
    bot.start(startMs);
    this.#beginSources(startMs);
    while (this.#head !== undefined && bot.finished === undefined) {
      this.#tick(NEVER);
      yield;
    }
    // The command to stop comes after everything else of the last event's millisecond.
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
      described: bot.described,
      orders: bot.orders,
      ordersLeft: bot.venue.openOrders(bot.nowMs).map((order) => order.orderId),
      exchange: bot.venue.exchange,
      ignored: bot.venue.ignored,
    };
  }

  /** Moves to the next moment at which something happens and handles it; false when that is after `untilMs`. */
  #tick(untilMs: number): boolean {
    const nextMs = Math.min(
      this.#head?.atMs ?? NEVER,
      this.#bot.nextMs,
      this.#nextCommandMs,
      this.#nextSourceMs,
    );
    if (nextMs > untilMs) return false;
    // Commands from before the start are due at the start.
    this.#bot.advanceTo(unixMs(Math.max(nextMs, this.#bot.nowMs)), this.#playUntil);
    return true;
  }

  readonly #playUntil = (nowMs: UnixMs): void => {
    while (this.#head !== undefined && this.#head.atMs <= nowMs) this.#play(this.#head, false);
    for (; this.#nextSourceMs <= nowMs; this.#pullSource()) {
      if (this.#nextSource !== undefined) this.#bot.push(this.#nextSource.input);
    }
    for (; this.#nextCommandMs <= nowMs; this.#nextCommand += 1) {
      const next = this.#commands[this.#nextCommand];
      if (next !== undefined) this.#bot.push({ type: "operator", ...next.command });
    }
  };

  get #nextCommandMs(): number {
    return this.#commands[this.#nextCommand]?.atMs ?? NEVER;
  }

  get #nextSourceMs(): number {
    return this.#nextSource?.atMs ?? NEVER;
  }

  /** The bot starts with the newest values from before, unless they are too old by then. */
  #beginSources(startMs: UnixMs): void {
    const newest = new Map<string, SourceStep>();
    for (this.#pullSource(); this.#nextSourceMs < startMs; this.#pullSource()) {
      if (this.#nextSource !== undefined) newest.set(this.#nextSource.input.name, this.#nextSource);
    }
    for (const { name, maxAgeMs } of this.#options.setup.kernel.sources ?? []) {
      const value = newest.get(name);
      if (value !== undefined && startMs - value.atMs <= maxAgeMs) this.#bot.push(value.input);
    }
  }

  #pullSource(): void {
    const next = this.#sources.next();
    this.#nextSource = next.done === true ? undefined : next.value;
  }

  #pull(): void {
    const { toMs = NEVER } = this.#options;
    const next = this.#steps.next();
    if (next.done !== true) this.#readMs = next.value.atMs;
    this.#head = next.done === true || next.value.atMs > toMs ? undefined : next.value;
  }

  #nothingToPlay(): TouchlineError {
    return new TouchlineError("REPLAY_EMPTY", `There is nothing to play: ${this.#emptyReason()}.`, {
      hint: "`touchline recording info` shows the time span of a recording.",
    });
  }

  #emptyReason(): string {
    const { fromMs, toMs } = this.#options;
    const readMs = this.#readMs;
    const from = `--from (${utcText(fromMs ?? 0)})`;
    const to = `--to (${utcText(toMs ?? 0)})`;
    if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
      return `${from} is later than ${to}`;
    }
    if (readMs === undefined) return "the recording has no events of these markets";
    if (toMs === undefined || readMs <= toMs) {
      return `the recorded events end at ${utcText(readMs)}, before ${from}`;
    }
    return this.#hasWarmedUp
      ? `no event was recorded between ${from} and ${to}`
      : `the recorded events begin at ${utcText(readMs)}, after ${to}`;
  }

  #play(step: RecordedStep, isWarmUp: boolean): void {
    const { marketId, event, atMs, feedMs } = step;
    if (event.type === "gap") this.#bot.loseMarket(marketId, atMs);
    else {
      this.#bot.venue.play(marketId, event, atMs, feedMs);
      if (event.type === "book") this.#bot.regainMarket(marketId, atMs);
    }
    this.#options.watcher.recorded(step, isWarmUp);
    this.#pull();
  }
}

function utcText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
