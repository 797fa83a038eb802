import { assert } from "../base/assert.ts";
import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import { wantedHistory } from "../kernel/wanted-history.ts";
import type { Input } from "../kernel/input.ts";
import type { ObservedStep, SummaryFold } from "../metrics/summary-fold.ts";
import { OwnOrders } from "../orders/own-orders.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { assembleBot, type BotParts } from "../runtime/assemble-bot.ts";
import type { Outlet } from "../runtime/carry-out.ts";
import type { DriverEnd } from "../runtime/driver.ts";
import { Observers } from "../runtime/observers.ts";
import { unsignedSigner } from "../runtime/unsigned-signer.ts";
import { SimulatedVenue } from "../simulated/simulated-venue.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { Described } from "../domain/described.ts";
import { pureStrategy } from "./impure-calls.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { Standstill } from "./standstill.ts";
import { immediately, VirtualTimer } from "./virtual-timer.ts";

/** Interval of the stream's `alive` inputs, so that the bot does not take a quiet market for a dead connection. */
const ALIVE_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Callbacks of a virtual bot, called in order; times are virtual. */
export interface BotWatcher {
  /** The exchange made a block that may have moved an order. `orders` and `knownMid` are what the bot knew before the block. */
  block(
    block: Block,
    orders: OwnOrders,
    knownMid: (marketId: MarketId) => number | undefined,
  ): void;
  /** The kernel decided on a command, whose transaction has this hash. */
  decided(command: Command, txHash: OrderId, nowMs: UnixMs): void;
  /** The kernel took a step. */
  stepped(step: ObservedStep): void;
}

/**
 * The live bot's kernel and driver at a simulated venue, in virtual time. The caller advances the time. Within one millisecond
 * market events come first, then requests that reach the exchange, then inputs that reach the bot, then the bot's timers.
 */
export class VirtualBot {
  readonly venue: SimulatedVenue;
  readonly #setup: ReplaySetup;
  readonly #keccak256: Keccak256;
  readonly #watcher: BotWatcher;
  readonly #absorbs: boolean;
  readonly #timer = new VirtualTimer();
  readonly #standstill = new Standstill();
  readonly #noOrders = new OwnOrders();
  #parts: BotParts | undefined;
  /** Markets in a gap of the recording. While all of them are, the bot has no stream. */
  readonly #lost = new Set<MarketId>();
  #aliveMs = NEVER;
  /** A bug in the bot or in a watcher, thrown at the end of the moment. */
  #failure: Error | undefined;

  /** `absorbs`: the kernel takes market data that nothing waits for without a step (docs/decisions/046). */
  constructor(setup: ReplaySetup, keccak256: Keccak256, watcher: BotWatcher, absorbs = false) {
    this.#setup = setup;
    this.#absorbs = absorbs;
    this.#keccak256 = keccak256;
    this.#watcher = watcher;
    this.venue = new SimulatedVenue({
      markets: setup.kernel.markets,
      owner: setup.kernel.owner,
      balances: setup.balances,
      models: setup.models,
      history: wantedHistory(setup.kernel.strategies),
      onBlock: (block) => watcher.block(block, this.orders, (marketId) => this.mid(marketId)),
    });
  }

  get nowMs(): UnixMs {
    return unixMs(this.#timer.nowMs);
  }

  /** How the run ended; undefined while it continues. */
  get finished(): DriverEnd | undefined {
    return this.#parts?.driver.ended;
  }

  /** The run's summary; not available before `start`. */
  get summary(): SummaryFold {
    return this.#started.summary;
  }

  /** The bot's own orders; none before `start`. */
  get orders(): OwnOrders {
    return this.#parts?.driver.orders ?? this.#noOrders;
  }

  /** Mid of a market's book without own orders; undefined while it is unknown. */
  mid(marketId: MarketId): number | undefined {
    return this.#started.kernel.mid(marketId);
  }

  /** Each strategy's own numbers now. */
  get described(): ReadonlyMap<string, Described> {
    return this.#started.kernel.described;
  }

  /** Starts the bot at `nowMs`, and runs its first step. */
  start(nowMs: UnixMs): void {
    this.#timer.nowMs = nowMs;
    this.#aliveMs = nowMs + ALIVE_MS;
    this.#parts = this.#assemble(nowMs);
    const { carried = [] } = this.#setup;
    if (carried.length > 0) {
      this.push({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } });
    }
    this.#parts.driver.start();
    this.#timer.runDue();
    this.#parts.feed.start();
    this.#rethrow();
  }

  /** Time of the next message or timer; Infinity when there is none. */
  get nextMs(): number {
    const { venue } = this;
    return Math.min(venue.nextRequestMs, venue.nextInputMs, this.#timer.nextMs, this.#aliveMs);
  }

  /**
   * Moves the time to `nowMs`, calls `playMarket`, and handles everything that is due. Effects of it that fall into the same
   * millisecond are handled by the next call. Throws the first error of the bot or of a watcher, and TouchlineError
   * `TIME_STANDS_STILL` when the bot never leaves this millisecond.
   */
  advanceTo(nowMs: UnixMs, playMarket: (nowMs: UnixMs) => void): void {
    assert(nowMs >= this.nowMs, "time never goes back");
    const { venue } = this;
    this.#timer.nowMs = nowMs;
    playMarket(nowMs);
    if (this.nextMs > nowMs) {
      this.#rethrow();
      return;
    }
    this.#standstill.moment(nowMs);
    venue.handle(nowMs);
    for (let input = venue.receive(nowMs); input !== undefined; input = venue.receive(nowMs)) {
      this.push(input);
    }
    if (this.#aliveMs <= nowMs) {
      this.#aliveMs += ALIVE_MS;
      if (!this.#isCut) this.push({ type: "stream", state: "alive", reason: "" });
    }
    this.#timer.runDue();
    this.#rethrow();
  }

  /** Queues an input for the bot; ignored before `start`. */
  push(input: Input): void {
    this.#parts?.driver.push(input);
  }

  /**
   * The recording has a gap in this market from here on, so the bot does not see it. In a gap of all markets its connection breaks. Its
   * requests still reach the exchange.
   */
  loseMarket(marketId: MarketId, nowMs: UnixMs): void {
    this.#lost.add(marketId);
    if (this.#isCut) this.venue.loseStreams("the recording has a gap", nowMs);
    this.venue.loseBook(marketId, nowMs);
  }

  /** The market's book is known again. */
  regainMarket(marketId: MarketId, nowMs: UnixMs): void {
    const wasCut = this.#isCut;
    if (!this.#lost.delete(marketId)) return;
    this.venue.regainBook(marketId, nowMs);
    if (wasCut && this.#parts !== undefined) this.venue.send({ type: "subscribe" }, nowMs);
  }

  /** Whether the bot has no stream, since every market is in a gap. */
  get #isCut(): boolean {
    return this.#lost.size === this.#setup.markets.length;
  }

  get #started(): BotParts {
    assert(this.#parts !== undefined, "the bot has started");
    return this.#parts;
  }

  #assemble(startMs: UnixMs): BotParts {
    const { kernel: settings, chainId } = this.#setup;
    const strategies = settings.strategies.map((binding) => ({
      ...binding,
      definition: pureStrategy(binding.definition, binding.name),
    }));
    const kernel = { ...settings, strategies };
    const clock: Clock = {
      nowMs: () => this.nowMs,
      monotonicUs: () => this.#timer.nowMs * 1000,
    };
    const hash = unsignedSigner({ owner: kernel.owner, chainId, keccak256: this.#keccak256 });
    const log = this.#log();
    const parts = assembleBot({
      kernel,
      feed: this.#feed(),
      outlet: this.#outlet(),
      clock,
      timer: this.#timer,
      log,
      startMs,
      journal: undefined,
      durability: "process",
      absorbs: this.#absorbs,
      logsSteps: false,
      // Observers run at once, so that their figures are complete at every moment.
      observers: new Observers({ timer: immediately, log }),
      sign: (command) => {
        const signed = hash(command);
        this.#standstill.decided(command.strategy);
        this.#watcher.decided(command, signed.txHash, this.nowMs);
        return signed;
      },
    });
    parts.observers.on((entry) => this.#watcher.stepped(entry));
    return parts;
  }

  #feed(): BotParts["feed"] {
    return {
      start: () => {
        if (!this.#isCut) this.venue.send({ type: "subscribe" }, this.nowMs);
      },
      stop: () => undefined,
      restart: () => undefined,
      resubscribe: () => undefined,
    };
  }

  #outlet(): Outlet {
    return {
      send: (command, { txHash }) =>
        this.venue.send({ type: "command", command, txHash }, this.nowMs),
      read: (read) => this.venue.send({ type: "read", read }, this.nowMs),
    };
  }

  /** A log that keeps only the first error, which ends the replay. */
  #log(): Log {
    const nothing = (): void => undefined;
    return {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: ({ err }) => {
        if (err instanceof Error) this.#failure ??= err;
      },
    };
  }

  #rethrow(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
