import { assert } from "../base/assert.ts";
import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import type { Input } from "../kernel/input.ts";
import type { ObservedStep, SummaryFold } from "../metrics/summary.ts";
import { OwnOrders } from "../orders/own-orders.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { assembleBot, type BotParts } from "../runtime/assemble-bot.ts";
import type { DriverEnd, Outlet } from "../runtime/driver.ts";
import { Observers } from "../runtime/observers.ts";
import { unsignedSigner } from "../runtime/unsigned-signer.ts";
import { SimulatedVenue } from "../simulated/simulated-venue.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { immediately, VirtualTimer } from "./virtual-timer.ts";

/** The stream's pings are answered this often, so that a quiet market is not taken for a dead venue. */
const ALIVE_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Told what happens, in order; `nowMs` is virtual. */
export interface BotWatcher {
  /** The exchange made a block; `orders` are the bot's, as it knew them before. */
  block(block: Block, orders: OwnOrders): void;
  /** The kernel decided on a command, whose transaction has this hash. */
  decided(command: Command, txHash: OrderId, nowMs: UnixMs): void;
  /** The kernel took a step. */
  stepped(step: ObservedStep): void;
}

/**
 * The same bot as live, at a simulated venue and in virtual time. Its caller goes from one moment to the next; within one
 * millisecond the market comes first, then requests that reach the exchange, then what reaches the bot, then the bot's timers.
 */
export class VirtualBot {
  readonly venue: SimulatedVenue;
  readonly #setup: ReplaySetup;
  readonly #keccak256: Keccak256;
  readonly #watcher: BotWatcher;
  readonly #timer = new VirtualTimer();
  readonly #noOrders = new OwnOrders();
  #parts: BotParts | undefined;
  #aliveMs = NEVER;
  /** A bug that ended the run, or one in a watcher: thrown at the end of the moment. */
  #failure: Error | undefined;

  constructor(setup: ReplaySetup, keccak256: Keccak256, watcher: BotWatcher) {
    this.#setup = setup;
    this.#keccak256 = keccak256;
    this.#watcher = watcher;
    this.venue = new SimulatedVenue({
      markets: setup.kernel.markets,
      owner: setup.kernel.owner,
      balances: setup.balances,
      models: setup.models,
      onBlock: (block) => watcher.block(block, this.orders),
    });
  }

  get nowMs(): UnixMs {
    return unixMs(this.#timer.nowMs);
  }

  /** How the kernel ended the run; undefined while it goes on. */
  get finished(): DriverEnd | undefined {
    return this.#parts?.driver.ended;
  }

  /** The run's figures; from the start on. */
  get summary(): SummaryFold {
    return this.#started.summary;
  }

  /** The bot's own orders; none before the start. */
  get orders(): OwnOrders {
    return this.#parts?.driver.orders ?? this.#noOrders;
  }

  /** Mid of a market's book less our own orders. */
  mid(marketId: MarketId): number | undefined {
    return this.#started.kernel.mid(marketId);
  }

  /** The first step. */
  start(nowMs: UnixMs): void {
    this.#timer.nowMs = nowMs;
    this.#aliveMs = nowMs + ALIVE_MS;
    this.#parts = this.#assemble(nowMs);
    this.#parts.driver.start();
    this.#timer.runDue();
    this.#parts.feed.start();
    this.#rethrow();
  }

  /** The next moment at which something happens by itself, never before now. */
  get nextMs(): number {
    const { venue } = this;
    return Math.min(venue.nextRequestMs, venue.nextInputMs, this.#timer.nextMs, this.#aliveMs);
  }

  /** Goes to this moment, does what `market` says, then all that follows from it. What that causes in the same millisecond is the next moment. */
  moment(nowMs: UnixMs, market: () => void): void {
    assert(nowMs >= this.nowMs, "time never goes back");
    const { venue } = this;
    this.#timer.nowMs = nowMs;
    market();
    venue.handle(nowMs);
    for (let input = venue.receive(nowMs); input !== undefined; input = venue.receive(nowMs)) {
      this.push(input);
    }
    if (this.#aliveMs <= nowMs) {
      this.#aliveMs += ALIVE_MS;
      this.push({ type: "stream", state: "alive", reason: "" });
    }
    this.#timer.runDue();
    this.#rethrow();
  }

  /** An input of the present moment; before the start there is nobody to take it. */
  push(input: Input): void {
    this.#parts?.driver.push(input);
  }

  get #started(): BotParts {
    assert(this.#parts !== undefined, "the bot has started");
    return this.#parts;
  }

  #assemble(startMs: UnixMs): BotParts {
    const { kernel, chainId } = this.#setup;
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
      // Nobody waits in virtual time.
      observers: new Observers({ timer: immediately, log }),
      sign: (command) => {
        const signed = hash(command);
        this.#watcher.decided(command, signed.txHash, this.nowMs);
        return signed;
      },
    });
    parts.observers.on((entry) => this.#watcher.stepped(entry));
    return parts;
  }

  #feed(): BotParts["feed"] {
    return {
      start: () => this.venue.send({ type: "subscribe" }, this.nowMs),
      stop: () => undefined,
      restart: () => undefined,
    };
  }

  #outlet(): Outlet {
    return {
      send: (command, { txHash }) =>
        this.venue.send({ type: "command", command, txHash }, this.nowMs),
      read: (read) => this.venue.send({ type: "read", read }, this.nowMs),
    };
  }

  /** Only what went wrong is of use: it ends the replay. */
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
