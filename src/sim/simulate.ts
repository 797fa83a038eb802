import { assert } from "../base/assert.ts";
import { toHex } from "../base/hex.ts";
import { Prng } from "../base/prng.ts";
import { fixed } from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { BotEnd } from "../runtime/bot.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import {
  FaultPlan,
  FRAMES_ALWAYS_TWICE,
  type Fault,
  type FaultEpisode,
  type VenueDelays,
} from "./faults.ts";
import { CONTINGENT_QUOTES, contingentStrategy } from "./contingent-strategy.ts";
import type { InvariantHooks } from "./invariant.ts";
import { invariants } from "./invariants.ts";
import { rerunProblem } from "./rerun-problem.ts";
import { scenarioOf, simulatedMarket, type Scenario } from "./scenario.ts";
import { SentCommands } from "./sent-commands.ts";
import { journalFolder, SimulatedBot } from "./simulated-bot.ts";
import { timedLog } from "./timed-log.ts";
import { VenueProcess } from "./venue-process.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { VirtualNetwork } from "./virtual-network.ts";
import { WatchedStore } from "./watched-store.ts";
import { WatchedStrategy } from "./watched-strategy.ts";
import { Oracle } from "./oracle.ts";

export type { FaultEpisode };

export interface SimulationOptions {
  readonly seed: number;
  readonly crypto: Crypto;
  /** `pure-market-making`. */
  readonly strategy: StrategyDefinition;
  /** Duration of the faults, in ms. Default 60 s. */
  readonly faultsMs?: number;
  /** Default: a random subset of `kinds`. */
  readonly faults?: readonly Fault[];
  /** Default: all kinds. */
  readonly kinds?: readonly Fault[];
  /** Whether quotes are moved by modify. Default: random. */
  readonly useModify?: boolean;
  /** Receives the bot's log lines. Default: none. */
  readonly log?: Log;
}

export interface SimulationResult {
  readonly seed: number;
  /** The first violations, one sentence each; empty for a good run. */
  readonly violations: readonly string[];
  /** Hash over the journals of all runs (every input, decision and signature) and the venue's last block number. */
  readonly traceHash: string;
  /** How often events occurred: faults by kind, outcomes, order states. */
  readonly reached: ReadonlyMap<string, number>;
  /** The longest time of each kind of waiting: an order of unknown outcome, an orphan, a stale quote, a restart. */
  readonly longestMs: ReadonlyMap<string, number>;
  /** Names of the faults that the world has. */
  readonly faults: readonly string[];
  readonly episodes: readonly FaultEpisode[];
  readonly virtualMs: number;
  readonly end: BotEnd | undefined;
}

const MAX_VIOLATIONS = 10;
/** The longest time `run` may take to stop while the disk hangs: the backstop of `runtime/bot.ts`, and its last request. */
const STOP_LIMIT_MS = 13_500;
/** A killed bot is running again within this time, unless it cannot connect: a 429 at its start costs a minute. */
const RESTART_LIMIT_MS = 130_000;
/** After this no command that was sent before the end can be taken: the nonce window (D6), and a margin for nonces ahead of the clock. */
const LANDING_MS = 75_000;
const TICK_MS = 50;
/** The venue's clock goes back no further than this, so that within a run the nonces keep rising. */
const MAX_BACK_MS = 25_000;

/**
 * Runs the whole bot and the whole paper venue in one process, connected by an unreliable network on virtual time: first with
 * faults, then without, then the stop. Invariants are checked all the time. The same seed gives the same run, bit for bit.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = new World(options);
  try {
    await world.run();
    return world.result();
  } finally {
    await world.close();
  }
}

class World {
  readonly #options: SimulationOptions;
  readonly #scenario: Scenario;
  readonly #owner: Address;
  readonly #time = new VirtualClock();
  readonly #network: VirtualNetwork;
  readonly #prng: Prng;
  readonly #store = new WatchedStore();
  readonly #sent = new SentCommands();
  readonly #delays: VenueDelays = { cancelMs: 0, orderMs: 0 };
  #pausedSinceMs: number | undefined;
  readonly #strategy: WatchedStrategy;
  readonly #bot: SimulatedBot;
  readonly #faults: FaultPlan;
  readonly #violations: string[] = [];
  readonly #venue: VenueProcess;
  #startedOracle: Oracle | undefined;
  #hooks: readonly (readonly [string, InvariantHooks])[] = [];
  #end: BotEnd | undefined;
  /** When the venue last accepted no connection. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  /** When commands last had to wait for a disk that hangs. */
  #stuckMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #isClosed = false;
  /** Appends that the disk had refused when the current run started. */
  #refusedBefore = 0;

  constructor(options: SimulationOptions) {
    const { seed, crypto, strategy } = options;
    const signer = crypto.signer(new Uint8Array(32).fill(7));
    this.#options = options;
    this.#strategy = new WatchedStrategy(strategy, this.#time);
    this.#owner = signer.address;
    this.#prng = new Prng(seed);
    this.#scenario = scenarioOf({ ...options, owner: this.#owner });
    this.#network = new VirtualNetwork({
      timer: this.#time,
      prng: this.#prng.fork("network"),
      more: new Prng(seed).fork("more network"),
    });
    this.#venue = new VenueProcess({
      config: this.#scenario.venue,
      time: this.#time,
      network: this.#network,
      crypto,
      delays: this.#delays,
      served: (transaction) => {
        if (transaction !== undefined) this.#sent.arrived(transaction.hash);
        this.#check((hooks) => hooks.tick?.());
      },
      dropped: ({ hash }) => this.#sent.notSent(hash),
    });
    this.#bot = new SimulatedBot({
      scenario: this.#scenario,
      strategy: this.#strategy.definition,
      crypto,
      signer,
      time: this.#time,
      network: this.#network,
      store: this.#store,
      prng: this.#prng.fork("bot"),
      log: timedLog(options.log, this.#time),
      watch: {
        runStarts: (downMs) => {
          this.#oracle.lasted("restart", downMs);
          this.#oracle.runStarts();
          this.#strategy.shown = undefined;
          this.#refusedBefore = this.#store.refused;
          for (const [, hooks] of this.#hooks) hooks.runStarts?.();
        },
        startFailed: () => this.#oracle.reach("start failed"),
        diskEnded: (end) => {
          this.#oracle.reach("disk ended a run");
          this.#check((hooks) => hooks.diskEnded?.(end));
        },
        stepUnseen: () => {
          this.#oracle.hasUnseenStep = true;
        },
        strategyEnded: (end) => {
          this.#oracle.reach("strategy ended a run");
          this.#check((hooks) => hooks.strategyEnded?.(end));
        },
        entry: (entry) => {
          this.#oracle.entry(entry);
          this.#check((hooks) => hooks.entry?.(entry));
        },
        request: (transaction) => {
          if (transaction !== undefined) this.#sent.sent(transaction);
          this.#check((hooks) => hooks.request?.(transaction));
        },
        notSent: ({ hash }) => this.#sent.notSent(hash),
        ended: (end) => this.#ended(end),
      },
    });
    this.#faults = new FaultPlan(
      {
        network: this.#network,
        skew: (ms) => {
          this.#bot.skewMs = ms;
        },
        kill: (restartMs) => this.#bot.kill(restartMs),
        powerCut: (restartMs, left) => {
          if (!this.#bot.powerCut(restartMs, left)) return;
          this.#oracle.hasJournalGap = true;
          if (this.#scenario.durability === "process") this.#oracle.hasLostOrders = true;
        },
        fillDisk: (isFull) => {
          this.#store.roomBytes = isFull ? 0 : Number.POSITIVE_INFINITY;
          this.#oracle.hasJournalGap = true;
        },
        hangDisk: (isHanging) => {
          this.#store.isStuck = isHanging;
        },
        venueDelays: this.#delays,
        setVenueBack: (byMs) => {
          this.#oracle.hasVenueClockGoneBack = true;
          this.#venue.skewMs = Math.max(this.#venue.skewMs - byMs, -MAX_BACK_MS);
        },
        pause: (isPaused) => {
          this.#pausedSinceMs = isPaused ? this.#time.elapsedMs : undefined;
          this.#bot.pause(isPaused);
        },
        resume: (force) => this.#bot.resume(force),
        failStrategy: (how) => {
          this.#strategy.nextFailure = how;
        },
        killVenue: ({ losesData }) => this.#killVenue(losesData),
      },
      this.#time,
    );
  }

  async run(): Promise<void> {
    if (this.#scenario.faults.some(({ name }) => name === FRAMES_ALWAYS_TWICE)) {
      this.#network.alwaysDouble = 0.5;
    }
    const { faultsMs, faults, stopsInTrouble } = this.#scenario;
    await this.#startVenue();
    this.#bot.start();
    // A few seconds without faults, so that in most worlds the bot quotes before they begin.
    await this.#time.runFor(this.#prng.int(0, 4_000));
    this.#faults.start(faults, this.#prng.fork("episodes"));
    await this.#time.runFor(faultsMs);
    if (!stopsInTrouble) await this.#recover();
    await this.#stop();
    this.#faults.stop();
    await this.#time.runFor(LANDING_MS);
    const end = this.#end;
    if (end !== undefined) this.#check((hooks) => hooks.ended?.(end));
  }

  async #startVenue(): Promise<void> {
    const starting = this.#venue.start();
    await this.#time.runFor(1);
    const exchange = await starting;
    const market = exchange.markets.find(({ marketId }) => marketId === simulatedMarket);
    assert(market !== undefined, "the venue has the simulated market");
    const oracle = new Oracle(exchange, this.#owner, market);
    this.#startedOracle = oracle;
    if (this.#scenario.hasForeignOrder) this.#placeForeignOrder();
    const watched = {
      scenario: this.#scenario,
      oracle,
      sent: this.#sent,
      quotesPerSide:
        (this.#options.strategy === contingentStrategy
          ? CONTINGENT_QUOTES
          : this.#scenario.levels) + (this.#scenario.hasSecondStrategy ? 1 : 0),
      shown: () => this.#strategy.shown,
      venueNowMs: () => this.#time.nowMs() + this.#venue.skewMs,
      elapsedMs: () => this.#time.elapsedMs,
      isBotAlive: () => this.#bot.isAlive,
      startingSinceMs: () => this.#bot.startingSinceMs,
      pausedSinceMs: () => this.#pausedSinceMs,
      refusedMs: () => this.#refusedMs,
      stuckMs: () => this.#stuckMs,
      isStopping: () => this.#isStopping,
      hasAppended: (bytesHex: string) => this.#store.hasAppended(bytesHex),
      hasDiskFailed: () => this.#store.refused > this.#refusedBefore,
      verify: () => this.#verify(),
    };
    this.#hooks = invariants.map(({ name, watch }) => [name, watch(watched)] as const);
    this.#tick();
  }

  #tick(): void {
    if (this.#isClosed) return;
    if (this.#network.faults.refuse || !this.#venue.isUp) this.#refusedMs = this.#time.elapsedMs;
    if (this.#store.isStuck && this.#scenario.durability === "power") {
      this.#stuckMs = this.#time.elapsedMs;
    }
    this.#check((hooks) => hooks.tick?.());
    this.#time.after(TICK_MS, () => this.#tick());
  }

  /** Places another program's order on the same account, far from the market. */
  #placeForeignOrder(): void {
    const { exchange, market, foreign } = this.#oracle;
    const response = exchange.execute(
      this.#owner,
      {
        type: "place",
        marketId: market.marketId,
        side: "BUY",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixed("0.001"),
        quantity: fixed("1000"),
      },
      this.#time.nowMs(),
    );
    if (response.type === "accepted") foreign.add(response.txHash);
  }

  #killVenue(losesData: boolean): (() => void) | undefined {
    if (!this.#venue.isUp) return undefined;
    this.#venue.kill();
    return () => void this.#restartVenue(losesData);
  }

  async #restartVenue(hasLostData: boolean): Promise<void> {
    if (hasLostData) this.#venue.eraseData();
    this.#oracle.venueStarts(await this.#venue.start(), hasLostData);
    if (!hasLostData) return;
    for (const [, hooks] of this.#hooks) hooks.venueDataLost?.();
  }

  async #recover(): Promise<void> {
    this.#faults.stop();
    this.#check((hooks) => hooks.faultsEnded?.());
    await this.#time.runFor(this.#scenario.healMs);
    if (!this.#bot.isAlive) this.#violated("alive", "no bot is running");
    this.#check((hooks) => hooks.recovered?.());
  }

  async #stop(): Promise<void> {
    // If the bot was just killed, the next process has to start first.
    await this.#time.runUntil(() => this.#bot.isAlive, RESTART_LIMIT_MS);
    this.#isStopping = true;
    this.#bot.stop();
    const hasEnded = await this.#time.runUntil(() => this.#end !== undefined, STOP_LIMIT_MS);
    if (!hasEnded) this.#violated("stop", `no end within ${STOP_LIMIT_MS} ms`);
  }

  /** Why a journal does not re-run as it ran; undefined when every run does. */
  #verify(): string | undefined {
    this.#strategy.nextFailure = undefined;
    return rerunProblem({
      store: this.#store,
      crypto: this.#options.crypto,
      strategies: (bindings) => this.#bot.strategies(bindings),
      verified: () => this.#oracle.reach("run verified"),
    });
  }

  #ended(end: BotEnd): void {
    this.#end = end;
    this.#check((hooks) => hooks.stopped?.(end));
    if (!this.#isStopping) this.#violated("alive", `the bot stopped by itself: ${end.reason}`);
  }

  get #oracle(): Oracle {
    assert(this.#startedOracle !== undefined, "the venue has started");
    return this.#startedOracle;
  }

  #check(hook: (hooks: InvariantHooks) => string | undefined): void {
    for (const [name, hooks] of this.#hooks) {
      const problem = hook(hooks);
      if (problem !== undefined) this.#violated(name, problem);
    }
  }

  #violated(name: string, problem: string): void {
    if (this.#violations.length >= MAX_VIOLATIONS) return;
    this.#violations.push(`${(this.#time.elapsedMs / 1000).toFixed(3)} s: ${name}: ${problem}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#faults.stop();
    this.#bot.close();
    this.#venue.kill();
  }

  result(): SimulationResult {
    const { reached, exchange } = this.#oracle;
    for (const [name, count] of this.#faults.begun) reached.set(`fault ${name}`, count);
    const { crypto, seed } = this.#options;
    return {
      seed,
      violations: this.#violations,
      traceHash: toHex(
        crypto.keccak256(this.#store.concatenated(journalFolder, `${exchange.blockNumber}`)),
      ),
      reached,
      longestMs: this.#oracle.longestMs,
      faults: this.#scenario.faults.map(({ name }) => name),
      episodes: this.#faults.episodes,
      virtualMs: this.#time.elapsedMs,
      end: this.#end,
    };
  }
}
