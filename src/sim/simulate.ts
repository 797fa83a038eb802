import { toHex } from "../base/hex.ts";
import { Prng } from "../base/prng.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import type { BotEnd } from "../runtime/bot.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { FaultPlan, type FaultEpisode } from "./fault-plan.ts";
import type { VenueDelays } from "./fault-target.ts";
import { FRAMES_ALWAYS_TWICE, USER_CHANNEL_SILENT } from "./faults.ts";
import { CONTINGENT_QUOTES, contingentStrategy } from "./contingent-strategy.ts";
import { TAKING_QUOTES, takingStrategy } from "./taking-strategy.ts";
import { meetingStrategy } from "./meeting-strategy.ts";
import { MarketWatches } from "./market-watches.ts";
import { PriceServer } from "./price-server.ts";
import { REJECTED_LATE } from "./invariants/no-rejections.ts";
import { deposit, fillInPart, placeByHand, placeForeignOrder } from "./other-programs.ts";
import { rerunProblem } from "./rerun-problem.ts";
import { scenarioOf, type Scenario } from "./scenario.ts";
import { isOrdering, SentCommands } from "./sent-commands.ts";
import { SimulatedBot } from "./simulated-bot.ts";
import { journalFolder } from "./simulated-settings.ts";
import { SimulatedSession } from "./simulated-session.ts";
import { timedLog } from "./timed-log.ts";
import type { SimulationOptions, SimulationResult } from "./simulation.ts";
import { VenueProcess } from "./venue-process.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { VirtualNetwork } from "./virtual-network.ts";
import { WatchedStore } from "./watched-store.ts";
import { SIMULATED_BUG, WatchedStrategy } from "./watched-strategy.ts";
import type { Oracle } from "./oracle.ts";

export type { FaultEpisode, SimulationOptions, SimulationResult };

/** What happened in a world that the invariants of all markets have to know. */
type Fact = "hasJournalGap" | "hasClockJumped" | "hasVenueClockGoneBack";

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
  readonly #store = new WatchedStore(() => this.#time.elapsedMs);
  readonly #sent = new SentCommands(() => this.#time.elapsedMs);
  readonly #delays: VenueDelays = { cancelMs: 0, orderMs: 0 };
  #pausedSinceMs: number | undefined;
  readonly #strategy: WatchedStrategy;
  readonly #paired: StrategyDefinition;
  readonly #meeter: StrategyDefinition;
  readonly #session: SimulatedSession | undefined;
  readonly #bot: SimulatedBot;
  readonly #faults: FaultPlan;
  readonly #watches: MarketWatches;
  readonly #venue: VenueProcess;
  readonly #prices: PriceServer;
  #end: BotEnd | undefined;
  /** When the venue last accepted no connection. */
  #unreachableMs = Number.NEGATIVE_INFINITY;
  /** When the bot was last blocked by a call. */
  #blockedMs = Number.NEGATIVE_INFINITY;
  #runStartedMs = 0;
  #faultsEndedMs = Number.POSITIVE_INFINITY;
  /** The latest time that the venue's clock has shown, and until when it showed an earlier one. */
  #venueMs = 0;
  #venueBehindMs = Number.NEGATIVE_INFINITY;
  /** Until when the venue, or a proxy before it, has told the bot by a 429 to wait. */
  #limitedUntilMs = Number.NEGATIVE_INFINITY;
  /** What is to happen after the bot's next order. */
  #afterOrder: { readonly ms: number; act(orderId: OrderId): void } | undefined;
  #isStopping = false;
  #isClosed = false;
  /** Appends that the disk had refused when the current run started. */
  #refusedBefore = 0;

  constructor(options: SimulationOptions) {
    const { seed, crypto, strategy } = options;
    const signer = crypto.signer(new Uint8Array(32).fill(7));
    this.#options = options;
    this.#strategy = new WatchedStrategy(strategy, this.#time);
    this.#paired =
      strategy.markets === undefined ? this.#strategy.paired() : this.#strategy.definition;
    this.#meeter = this.#strategy.logged(meetingStrategy, this.#time);
    this.#owner = signer.address;
    this.#prng = new Prng(seed);
    this.#scenario = scenarioOf({ ...options, owner: this.#owner });
    const { session } = this.#scenario;
    this.#session =
      session && new SimulatedSession(session, { seed, crypto, owner: signer, store: this.#store });
    this.#watches = this.#watchMarkets();
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
        this.#watches.tick();
      },
      dropped: ({ hash }) => this.#sent.dropped(hash),
      rejectedLate: () => this.#watches.coverage.reach(REJECTED_LATE),
    });
    this.#prices = new PriceServer({
      timer: this.#time,
      servers: this.#network.servers,
      mid: () => this.#mid(),
      nowMs: () => this.#time.nowMs(),
    });
    this.#bot = new SimulatedBot({
      scenario: this.#scenario,
      strategy: this.#strategy.definition,
      paired: this.#paired,
      meeter: this.#meeter,
      crypto,
      signer,
      session: this.#session,
      time: this.#time,
      network: this.#network,
      store: this.#store,
      prng: this.#prng.fork("bot"),
      log: timedLog(options.log, this.#time),
      watch: {
        processStarts: (hasStartFailed) => {
          this.#watches.tellHooks((hooks) => hooks.processStarts?.(hasStartFailed));
        },
        runStarts: (downMs) => {
          this.#runStartedMs = this.#time.elapsedMs;
          this.#watches.coverage.lasted("restart", downMs);
          this.#watches.lost.runStarts((orderId) => this.#store.holds(journalFolder, orderId));
          this.#watches.tell((oracle) => oracle.runStarts());
          this.#strategy.runStarts();
          this.#refusedBefore = this.#store.refused;
          this.#watches.tellHooks((hooks) => hooks.runStarts?.());
        },
        startFailed: () => this.#watches.coverage.reach("start failed"),
        endedWhileStarting: (how) => this.#watches.coverage.reach(`start: ${how}`),
        operatorEnded: (end, tookMs) => {
          this.#watches.coverage.reach("operator ended a run");
          // A bot that a call blocks knows of the stop when the call returns.
          const knownMs = Math.min(tookMs, this.#time.elapsedMs - this.#noteBlocked());
          if (knownMs > STOP_LIMIT_MS) this.#watches.violated("stop", `took ${knownMs} ms`);
          this.#watches.check((hooks) => hooks.operatorEnded?.(end));
        },
        diskEnded: (end) => {
          this.#watches.coverage.reach("disk ended a run");
          this.#watches.check((hooks) => hooks.diskEnded?.(end));
        },
        strategyEnded: (end) => {
          this.#watches.coverage.reach("strategy ended a run");
          this.#watches.check((hooks) => hooks.strategyEnded?.(end));
        },
        sessionEnded: (end) => {
          this.#watches.coverage.reach("session ended a run");
          this.#watches.check((hooks) => hooks.sessionEnded?.(end));
        },
        entry: (entry) => {
          this.#watches.entry(entry);
          for (const note of entry.notes) {
            if (note.type !== "strategyFault" || note.message.includes(SIMULATED_BUG)) continue;
            this.#watches.violated("strategy", note.message);
          }
        },
        request: (transaction) => {
          if (transaction !== undefined) this.#sent.sent(transaction);
          this.#watches.request(transaction);
          if (transaction !== undefined && isOrdering(transaction)) {
            this.#ordered(transaction.hash);
          }
        },
        watchdogRequest: (transaction) => {
          this.#sent.sent(transaction);
          this.#watches.check((hooks) => hooks.watchdogRequest?.(transaction));
        },
        watchdogEnded: (left) => {
          this.#watches.coverage.reach(
            `watchdog ended a run${left === undefined ? " in doubt" : ""}`,
          );
          if (left !== undefined) this.#watches.check((hooks) => hooks.watchdogEnded?.(left));
        },
        notSent: ({ hash }) => this.#sent.notSent(hash),
        limited: (retryAfterMs) => {
          const untilMs = this.#time.elapsedMs + retryAfterMs;
          this.#limitedUntilMs = Math.max(this.#limitedUntilMs, untilMs);
        },
        refused: ({ hash }) => {
          // A venue that takes another copy makes its legs, too.
          const { takeProfit, stopLoss } = legIdsOf(hash);
          for (const id of [hash, takeProfit, stopLoss]) this.#sent.refused.add(id);
        },
        answered: ({ hash }) => this.#sent.answered(hash),
        broken: ({ hash }) => this.#sent.broken(hash),
        ended: (end) => this.#ended(end),
      },
    });
    this.#strategy.watchesSources = this.#scenario.sources !== undefined;
    this.#strategy.stall = (ms) => this.#bot.stall(ms);
    this.#faults = new FaultPlan(
      {
        network: this.#network,
        skew: (ms) => {
          this.#mark({ hasClockJumped: true });
          this.#bot.skewMs = ms;
        },
        kill: (restartMs, whileStarting) => this.#bot.kill(restartMs, whileStarting),
        stopBot: (restartMs) => this.#bot.stopAndRestart(restartMs),
        endStarts: (restartMs, moment, end) => this.#bot.endStarts(restartMs, moment, end),
        powerCut: (restartMs, left, whileStarting) => {
          if (!this.#bot.powerCut(restartMs, left, whileStarting)) return;
          this.#mark({ hasJournalGap: true });
          if (this.#scenario.durability === "process") this.#watches.lost.cut();
        },
        afterOrder: (ms, act) => {
          const after = { ms, act };
          this.#afterOrder = after;
          return () => {
            if (this.#afterOrder === after) this.#afterOrder = undefined;
          };
        },
        fillInPart: (orderId, share) => {
          if (!this.#venue.isUp) return;
          fillInPart(this.#watches, orderId, { share, nowMs: this.#venue.nowMs });
        },
        fillDisk: (isFull) => {
          this.#store.roomBytes = isFull ? 0 : Number.POSITIVE_INFINITY;
          this.#mark({ hasJournalGap: true });
        },
        hangDisk: (isHanging) => this.#bot.hangDisk(isHanging),
        venueDelays: this.#delays,
        prices: this.#prices,
        setVenueBack: (byMs) => {
          this.#mark({ hasVenueClockGoneBack: true });
          this.#venue.skewMs = Math.max(this.#venue.skewMs - byMs, -MAX_BACK_MS);
        },
        pause: (isPaused) => {
          this.#pausedSinceMs = isPaused ? this.#time.elapsedMs : undefined;
          this.#bot.pause(isPaused);
        },
        resume: (force) => this.#bot.resume(force),
        stallStrategy: (ms) => {
          this.#strategy.nextStallMs = ms === 0 ? undefined : ms;
        },
        deposit: () => {
          if (this.#venue.isUp) deposit(this.#watches, this.#scenario, this.#venue.nowMs);
        },
        placeByHand: (order) => {
          if (!this.#venue.isUp || this.#isStopping) return undefined;
          // Two orders in the seconds before its first one would be those of another bot.
          if (!this.#bot.hasOrdered) return undefined;
          return placeByHand(order, {
            watches: this.#watches,
            scenario: this.#scenario,
            bot: this.#bot,
            timer: this.#time,
            nowMs: this.#venue.nowMs,
          });
        },
        revokeSessions: () => {
          if (!this.#venue.isUp) return;
          const { exchange } = this.#watches.oracle;
          const ended = this.#session?.revoke(exchange, this.#venue.nowMs) ?? 0;
          if (ended > 0) this.#watches.coverage.reach("session revoked");
        },
        failStrategy: (how) => {
          this.#strategy.nextFailure = how;
        },
        killVenue: () => this.#killVenue(),
      },
      this.#time,
    );
  }

  #watchMarkets(): MarketWatches {
    return new MarketWatches({
      scenario: this.#scenario,
      owner: this.#owner,
      quotesPerSide: quotesPerSide(this.#options.strategy, this.#scenario),
      shown: (marketId) => this.#strategy.shown.get(marketId),
      booksRead: (marketId) => this.#strategy.booksRead(marketId),
      decisions: this.#strategy.decisions,
      world: {
        episodes: () => this.#faults.episodes,
        runStartedMs: () => this.#runStartedMs,
        faultsEndedMs: () => this.#faultsEndedMs,
        venueBehindMs: () => this.#venueBehindMs,
        limitedUntilMs: () => this.#limitedUntilMs,
        sent: this.#sent,
        sourcesRead: () => this.#strategy.sourcesRead,
        wasShown: (intent, fill) => this.#strategy.wasShown(intent, fill),
        venueNowMs: () => this.#venue.nowMs,
        elapsedMs: () => this.#time.elapsedMs,
        isBotAlive: () => this.#bot.isAlive,
        startingSinceMs: () => this.#bot.startingSinceMs,
        pausedSinceMs: () => this.#pausedSinceMs,
        unreachableMs: () => this.#unreachableMs,
        blockedMs: () => this.#noteBlocked(),
        blockedSinceMs: () => this.#bot.blockedSinceMs,
        isStopping: () => this.#isStopping,
        appendedMs: (bytesHex: string) => this.#store.appendedMs(bytesHex),
        isInJournal: (orderId) => this.#store.holds(journalFolder, orderId),
        hasDiskFailed: () => this.#store.refused > this.#refusedBefore,
        verify: () => this.#verify(),
      },
    });
  }

  async run(): Promise<void> {
    if (this.#scenario.faults.some(({ name }) => name === FRAMES_ALWAYS_TWICE)) {
      this.#network.alwaysDouble = 0.5;
    }
    if (this.#scenario.faults.some(({ name }) => name === USER_CHANNEL_SILENT)) {
      this.#network.silentChannel = "userEvent";
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
    if (end !== undefined) this.#watches.check((hooks) => hooks.ended?.(end));
  }

  async #startVenue(): Promise<void> {
    const starting = this.#venue.start();
    await this.#time.runFor(1);
    const exchange = await starting;
    this.#watches.start(exchange);
    this.#session?.create(exchange, this.#time.nowMs());
    if (this.#scenario.hasForeignOrder) placeForeignOrder(this.#watches, this.#time.nowMs());
    this.#watches.watch();
    const { sources } = this.#scenario;
    if (sources !== undefined) await this.#prices.start(sources.everyMs);
    this.#tick();
  }

  #tick(): void {
    if (this.#isClosed) return;
    const { refuse, frozen } = this.#network.faults;
    if (refuse || frozen || !this.#venue.isUp) this.#unreachableMs = this.#time.elapsedMs;
    this.#noteBlocked();
    if (this.#venue.nowMs < this.#venueMs) this.#venueBehindMs = this.#time.elapsedMs;
    else this.#venueMs = this.#venue.nowMs;
    this.#watches.tick();
    this.#time.after(TICK_MS, () => this.#tick());
  }

  /** The price of the first market; undefined while a side of its book is empty. */
  #mid(): number | undefined {
    const { exchange, market } = this.#watches.oracle;
    const { bids, asks } = exchange.book(market.marketId, 1);
    const [bid, ask] = [bids[0], asks[0]];
    if (bid === undefined || ask === undefined) return undefined;
    return (bid.price + ask.price) / 2;
  }

  #ordered(orderId: OrderId): void {
    const after = this.#afterOrder;
    this.#afterOrder = undefined;
    if (after !== undefined) this.#time.after(after.ms, () => after.act(orderId));
  }

  #noteBlocked(): number {
    if (this.#bot.isBlocked) this.#blockedMs = this.#time.elapsedMs;
    return this.#blockedMs;
  }

  #killVenue(): (() => void) | undefined {
    if (!this.#venue.isUp) return undefined;
    this.#venue.kill();
    return () => void this.#restartVenue();
  }

  async #restartVenue(): Promise<void> {
    const exchange = await this.#venue.start();
    this.#watches.tell((oracle) => oracle.venueStarts(exchange));
  }

  async #recover(): Promise<void> {
    this.#faults.stop();
    this.#faultsEndedMs = this.#time.elapsedMs;
    this.#watches.check((hooks) => hooks.faultsEnded?.());
    await this.#time.runFor(this.#scenario.healMs);
    if (!this.#bot.isAlive) this.#watches.violated("alive", "no bot is running");
    this.#watches.check((hooks) => hooks.recovered?.());
  }

  async #stop(): Promise<void> {
    // If the bot was just killed, the next process has to start first, and one that is blocked has to go on or end.
    this.#strategy.nextStallMs = undefined;
    const isAwake = (): boolean => this.#bot.isAlive && !this.#bot.isBlocked;
    const awaken = (): Promise<boolean> => this.#time.runUntil(isAwake, RESTART_LIMIT_MS);
    let hasAwoken = await awaken();
    // Under so many faults each start may fail.
    if (!hasAwoken) this.#faults.stop();
    hasAwoken ||= await awaken();
    if (!hasAwoken) this.#watches.violated("alive", "no bot is running");
    this.#isStopping = true;
    this.#bot.stop();
    const hasEnded = await this.#time.runUntil(() => this.#end !== undefined, STOP_LIMIT_MS);
    if (!hasEnded) this.#watches.violated("stop", `no end within ${STOP_LIMIT_MS} ms`);
  }

  /** Why a journal does not re-run as it ran; undefined when every run does. */
  #verify(): string | undefined {
    this.#strategy.nextFailure = undefined;
    this.#strategy.nextStallMs = undefined;
    return rerunProblem({
      store: this.#store,
      crypto: this.#options.crypto,
      strategy: this.#strategy.definition,
      paired: this.#paired,
      meeter: this.#meeter,
      verified: () => this.#watches.coverage.reach("run verified"),
    });
  }

  #ended(end: BotEnd): void {
    this.#end = end;
    this.#watches.check((hooks) => hooks.stopped?.(end));
    if (!this.#isStopping)
      this.#watches.violated("alive", `the bot stopped by itself: ${end.reason}`);
  }

  #mark(facts: Partial<Pick<Oracle, Fact>>): void {
    this.#watches.tell((oracle) => Object.assign(oracle, facts));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#faults.stop();
    this.#bot.close();
    this.#prices.close();
    this.#venue.kill();
  }

  result(): SimulationResult {
    const { coverage, oracle, violations } = this.#watches;
    const { reached, longestMs } = coverage;
    for (const [name, count] of this.#faults.begun) reached.set(`fault ${name}`, count);
    const { crypto, seed } = this.#options;
    return {
      seed,
      violations,
      traceHash: toHex(
        crypto.keccak256(this.#store.concatenated(journalFolder, `${oracle.exchange.blockNumber}`)),
      ),
      reached,
      longestMs,
      faults: this.#scenario.faults.map(({ name }) => name),
      episodes: this.#faults.episodes,
      virtualMs: this.#time.elapsedMs,
      end: this.#end,
    };
  }
}

function quotesPerSide(strategy: StrategyDefinition, { levels }: Scenario): number {
  if (strategy === contingentStrategy) return CONTINGENT_QUOTES;
  return strategy === takingStrategy ? TAKING_QUOTES : levels;
}
