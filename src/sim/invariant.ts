import type { BotEnd } from "../runtime/bot.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Scenario } from "./scenario.ts";
import type { SeenTransaction, Oracle } from "./oracle.ts";

/** What invariants can observe. */
export interface ObservedWorld {
  readonly scenario: Scenario;
  readonly oracle: Oracle;
  /** Milliseconds since the simulation started. */
  elapsedMs(): number;
  /** Whether a bot is running: between its start and its end or a kill. */
  isBotAlive(): boolean;
  /** The last bytes appended to the journal, as Latin-1 text. */
  lastAppended(): string;
  /** Whether the disk refused an append during this run. From then on only cancels may be sent without being journaled. */
  hasDiskFailed(): boolean;
  /** Re-runs everything in the journal; returns a sentence if the result differs. */
  verify(): string | undefined;
}

/** Something that must always hold. Each hook returns a sentence when it is violated. */
export interface Invariant {
  readonly name: string;
  /** Called once for each simulated world. */
  watch(world: ObservedWorld): InvariantHooks;
}

export interface InvariantHooks {
  /** A new process of the bot starts. */
  runStarts?(): void;
  /** After each step of the kernel that is published to observers, and after the oracle has processed it. */
  entry?(entry: ObservedEntry): string | undefined;
  /** A request leaves the bot; `transaction` is undefined unless it is a command. */
  request?(transaction: SeenTransaction | undefined): string | undefined;
  /** Every 50 ms, and after each request that the venue has served. */
  tick?(): string | undefined;
  /** The venue restarted and lost its data. */
  venueDataLost?(): void;
  /** The last fault has just ended. */
  faultsEnded?(): string | undefined;
  /** The faults ended long enough ago for everything to be in order; the bot is still running. */
  recovered?(): string | undefined;
  /** A run ended because its journal could not be written. */
  diskEnded?(end: BotEnd): string | undefined;
  /** The bot was stopped and nothing is in flight any more. */
  ended?(end: BotEnd): string | undefined;
}
