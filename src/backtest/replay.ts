import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { toHex } from "../base/hex.ts";
import type { OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Block } from "../exchange/records.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { Kernel } from "../kernel/kernel.ts";
import type { ObservedStep } from "../metrics/summary.ts";
import { CommandEncoder } from "../spec/sign-command.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { Command } from "../domain/command.ts";
import type { RecordedStep } from "./recorded-step.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { SimulatedVenue } from "./simulated-venue.ts";

/** Our ping is answered that often (HOUSE: own ping frame every 5 s), so a quiet market is not taken for a dead venue. */
const ALIVE_MS = 5_000;
/** As `run`: canceling what is left takes no longer than this. */
const SHUTDOWN_MS = 10_000;

/** Told what happens, in order; `nowMs` is virtual. */
export interface ReplayWatcher {
  /** A recorded event was played into the exchange. Events before the start are played, too, to have the book that was there. */
  recorded(step: RecordedStep, isWarmUp: boolean): void;
  /** The exchange made a block. */
  block(block: Block): void;
  /** The kernel decided on a command, whose transaction has this hash. */
  decided(command: Command, txHash: OrderId, nowMs: UnixMs): void;
  /** The bot starts; comes before its first step. */
  started(startMs: UnixMs): void;
  /** The kernel took a step. */
  stepped(step: ObservedStep): void;
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
  /** The kernel's last word; undefined when its orders were not gone in time. */
  readonly finished: Extract<Effect, { type: "finished" }> | undefined;
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
 * A loop over the earliest of: a recorded event, a request that reaches the exchange, news that reach the bot, the kernel's own
 * deadline. Within one millisecond they happen in this order, so a command never overtakes the market event of the same
 * millisecond. Nothing in it waits, and no clock but the recording's counts.
 */
class Replay {
  readonly #options: ReplayOptions;
  readonly #steps: Iterator<RecordedStep>;
  readonly #kernel: Kernel;
  readonly #encoder: CommandEncoder;
  readonly #venue: SimulatedVenue;
  /** The next recorded event to play; undefined when there is none. */
  #head: RecordedStep | undefined;
  #nowMs: UnixMs = unixMs(0);
  #seq = 0;
  /** First inputs of the next batch: the hashes of what was sent last. */
  #signed: Input[] = [];
  #deadlineMs = NEVER;
  #aliveMs = NEVER;
  #finished: ReplayEnd["finished"];

  constructor(options: ReplayOptions) {
    const { setup, keccak256, watcher } = options;
    const { kernel, chainId, balances, latency } = setup;
    this.#options = options;
    this.#steps = options.steps[Symbol.iterator]();
    this.#kernel = new Kernel(kernel);
    this.#encoder = new CommandEncoder({ owner: kernel.owner, chainId, keccak256 });
    this.#venue = new SimulatedVenue({
      markets: kernel.markets,
      owner: kernel.owner,
      balances,
      latency,
      onBlock: (block) => watcher.block(block),
    });
  }

  *run(): Generator<undefined, ReplayEnd> {
    const { fromMs = Number.NEGATIVE_INFINITY, watcher } = this.#options;
    this.#pull();
    while (this.#head !== undefined && this.#head.atMs < fromMs) {
      this.#play(this.#head, true);
      yield;
    }
    if (this.#head === undefined) throw nothingLeft();

    const startMs = this.#head.atMs;
    this.#nowMs = startMs;
    this.#aliveMs = startMs + ALIVE_MS;
    watcher.started(startMs);
    this.#step([]);
    this.#venue.send({ type: "subscribe" }, startMs);
    while (this.#head !== undefined && this.#finished === undefined) {
      this.#tick(NEVER);
      yield;
    }
    // What was played last, and whatever else happens in that millisecond, comes before the word to stop.
    const stopMs = this.#nowMs;
    watcher.stopped(stopMs);
    const lastMs = stopMs + SHUTDOWN_MS;
    if (this.#finished === undefined) this.#step([{ type: "operator", command: "stop" }]);
    while (this.#finished === undefined && this.#tick(lastMs)) yield;
    return {
      startMs,
      stopMs,
      endMs: this.#nowMs,
      finished: this.#finished,
      ordersLeft: this.#venue.openOrders(this.#nowMs).map((order) => order.orderId),
      exchange: this.#venue.exchange,
      ignored: this.#venue.ignored,
    };
  }

  /** Goes to the next moment at which something happens and does all of it; false when that is after `untilMs`. */
  #tick(untilMs: number): boolean {
    const venue = this.#venue;
    // A deadline that has passed already is met a millisecond later, as a timer would.
    const wakeMs = Math.max(Math.ceil(this.#deadlineMs), this.#nowMs + 1);
    const nextMs = Math.min(
      this.#head?.atMs ?? NEVER,
      venue.nextRequestMs,
      venue.nextNewsMs,
      wakeMs,
      this.#aliveMs,
    );
    if (nextMs > untilMs) return false;
    assert(nextMs >= this.#nowMs, "recorded events come in the order of their receipt");
    const nowMs = unixMs(nextMs);
    this.#nowMs = nowMs;
    while (this.#head !== undefined && this.#head.atMs <= nowMs) this.#play(this.#head, false);
    venue.handle(nowMs);
    const inputs: Input[] = [];
    for (let news = venue.receive(nowMs); news !== undefined; news = venue.receive(nowMs)) {
      inputs.push(news);
    }
    if (this.#aliveMs <= nowMs) {
      this.#aliveMs += ALIVE_MS;
      inputs.push({ type: "stream", state: "alive", reason: "" });
    }
    if (inputs.length > 0 || wakeMs <= nowMs) this.#step(inputs);
    return true;
  }

  #pull(): void {
    const { toMs = NEVER } = this.#options;
    const next = this.#steps.next();
    this.#head = next.done === true || next.value.atMs > toMs ? undefined : next.value;
  }

  #play(step: RecordedStep, isWarmUp: boolean): void {
    this.#venue.play(step.marketId, step.event, step.atMs);
    this.#options.watcher.recorded(step, isWarmUp);
    this.#pull();
  }

  #step(inputs: readonly Input[]): void {
    const nowMs = this.#nowMs;
    this.#seq += 1;
    const batch = { seq: this.#seq, nowMs, inputs: [...this.#signed, ...inputs] };
    this.#signed = [];
    const { effects, notes, nextDeadlineMs } = this.#kernel.step(batch);
    this.#deadlineMs = nextDeadlineMs ?? NEVER;
    for (const effect of effects) this.#carryOut(effect, nowMs);
    this.#options.watcher.stepped({ batch, effects, notes });
  }

  #carryOut(effect: Effect, nowMs: UnixMs): void {
    switch (effect.type) {
      case "place":
      case "cancel": {
        // Nothing is signed here: the id is the hash of the unsigned transaction.
        const txHash = toHex(this.#encoder.unsignedHash(effect)) as OrderId;
        this.#options.watcher.decided(effect, txHash, nowMs);
        this.#signed.push({ type: "signed", intent: effect.intent, txHash });
        this.#venue.send({ type: "command", command: effect, txHash }, nowMs);
        return;
      }
      case "finished":
        this.#finished = effect;
        return;
      default:
        this.#venue.send({ type: "read", read: effect }, nowMs);
    }
  }
}

function nothingLeft(): TouchlineError {
  return new TouchlineError(
    "REPLAY_EMPTY",
    "The recording has nothing to play in the span that is asked for.",
    { hint: "`touchline recording info` shows what it holds; look at --from and --to." },
  );
}
