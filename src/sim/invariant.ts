import type { Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Summary, SummaryFields } from "../metrics/summary.ts";
import type { BotEnd } from "../runtime/bot.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { MarketView } from "../strategy/view.ts";
import type { WantedQuotes } from "./decision-log.ts";
import type { FaultEpisode } from "./fault-plan.ts";
import type { Scenario } from "./scenario.ts";
import type { Oracle } from "./oracle.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import type { ReadBook } from "./read-book.ts";
import type { SentCommands } from "./sent-commands.ts";

/** What invariants can observe of a market, and of the bot. */
export interface ObservedWorld {
  /** As it is in this market. */
  readonly scenario: Scenario;
  readonly oracle: Oracle;
  readonly sent: SentCommands;
  /** Most quotes that the strategy wants on one side. */
  readonly quotesPerSide: number;
  /** The decision in force of each strategy in this market. */
  wanted(): readonly WantedQuotes[];
  /** Those, and the ones that they have just replaced. */
  recentlyWanted(): readonly WantedQuotes[];
  /** Every episode of a fault so far. */
  episodes(): readonly FaultEpisode[];
  /** When the run of the bot started, on the clock of `elapsedMs`; 0 before the first. */
  runStartedMs(): number;
  /** When the last fault ended, on the clock of `elapsedMs`; Infinity before that. */
  faultsEndedMs(): number;
  /**
   * Until when the venue's clock showed an earlier time than it had shown before, on the clock of `elapsedMs`; -Infinity when it never did.
   * Until then lists lack the newest fills.
   */
  venueBehindMs(): number;
  /** Until when the bot was told by a 429 to wait, on the clock of `elapsedMs`. */
  limitedUntilMs(): number;
  /** The parts of a summary that are of the strategies in this market. */
  summaryOf(summary: Summary): readonly SummaryFields[];
  /** What the strategy's newest view said; undefined before the first decision of a run. */
  shown(): ShownAmounts | undefined;
  /** Whether a decision of the run has seen this fill of the order with this intent. */
  wasShown(intent: number, fill: Fill): boolean;
  /** The books that the strategy's decisions of a run read, oldest first, without those that an invariant has taken out. */
  booksRead(): ReadBook[];
  /** What decisions saw of the price sources, oldest first, without those that an invariant has taken out. */
  sourcesRead(): ReadSources[];
  /** The venue's clock. */
  venueNowMs(): number;
  /** Milliseconds since the simulation started. */
  elapsedMs(): number;
  /** Whether a bot is running: between its start and its end or a kill. */
  isBotAlive(): boolean;
  /** Since when a process of the bot has been up that has no kernel yet, on the clock of `elapsedMs`; undefined when there is none. */
  startingSinceMs(): number | undefined;
  /** Since when the operator has paused the bot, on the clock of `elapsedMs`; undefined while it is not paused. */
  pausedSinceMs(): number | undefined;
  /** When no request could last reach the venue, on the clock of `elapsedMs`; -Infinity when one always could. */
  unreachableMs(): number;
  /** When the bot was last blocked by a call that took its time; -Infinity when it never was. */
  blockedMs(): number;
  /** When the call that blocks the bot began; undefined when no call blocks it. Still set while a kill of the bot publishes that call's step. */
  blockedSinceMs(): number | undefined;
  /** Whether the bot was asked to stop. */
  isStopping(): boolean;
  /** When the journal was appended this transaction, as hex digits, on the clock of `elapsedMs`; undefined when it was not. */
  appendedMs(bytesHex: string): number | undefined;
  /** Whether the journal has this order: a power cut may have taken it. */
  isInJournal(orderId: OrderId): boolean;
  /** Whether the disk refused an append during this run. From then on only cancels may be sent without being journaled. */
  hasDiskFailed(): boolean;
  /** Re-runs everything in the journal; returns a sentence if the result differs. */
  verify(): string | undefined;
}

/** Amounts as a strategy sees them. */
export interface ShownAmounts {
  /** On the clock of `elapsedMs`. */
  readonly atMs: number;
  /** `view.position.base`. */
  readonly position: Fixed;
  /** `view.balance().total`; undefined while it is unknown. */
  readonly base: Fixed | undefined;
  readonly quote: Fixed | undefined;
}

/** What a decision saw of the price sources. */
export interface ReadSources {
  /** Time of the batch of the step, by the bot's clock. */
  readonly nowMs: number;
  readonly seen: MarketView["sources"];
}

/** Something that must always hold. Each hook returns a sentence when it is violated. */
export interface Invariant {
  readonly name: string;
  /** True for one that judges the whole bot. The others see, in each market, the commands, effects and notes of that market only. */
  readonly isOfBot?: true;
  /** True for one that expects what `pure-market-making` does, not any strategy. */
  readonly isOfMaker?: true;
  /** Called once for each simulated world, or once for each of its markets. */
  watch(world: ObservedWorld): InvariantHooks;
}

export interface InvariantHooks {
  /** A process of the bot begins to start. `hasStartFailed`: the one before it ended by itself before it had a kernel. */
  processStarts?(hasStartFailed: boolean): void;
  /** A process of the bot has a kernel now. */
  runStarts?(): void;
  /** After each step of the kernel that is published to observers, and after the oracle has processed it. */
  entry?(entry: ObservedEntry): string | undefined;
  /** A request leaves the bot; `transaction` is undefined unless it is a command. */
  request?(transaction: SeenTransaction | undefined): string | undefined;
  /** Every 50 ms, and after each request that the venue has served. */
  tick?(): string | undefined;
  /** The last fault has just ended. */
  faultsEnded?(): string | undefined;
  /** The faults ended long enough ago for everything to be in order; the bot is still running. */
  recovered?(): string | undefined;
  /** A run ended because its journal could not be written. */
  diskEnded?(end: BotEnd): string | undefined;
  /** A run ended because its strategies failed. */
  strategyEnded?(end: BotEnd): string | undefined;
  /** A run ended because its session had ended or its signature was refused. */
  sessionEnded?(end: BotEnd): string | undefined;
  /** A run ended because the operator stopped it, and another one follows. */
  operatorEnded?(end: BotEnd): string | undefined;
  /** The watchdog has just ended a blocked process; it could not prove the end of these orders. */
  watchdogEnded?(left: readonly OrderId[]): string | undefined;
  /** The watchdog sends a command for a blocked bot. */
  watchdogRequest?(transaction: SeenTransaction): string | undefined;
  /** The process of the bot has just ended after its stop; commands may be under way. */
  stopped?(end: BotEnd): string | undefined;
  /** The bot was stopped and nothing is in flight any more. */
  ended?(end: BotEnd): string | undefined;
}
