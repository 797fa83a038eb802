import type { BotEnd } from "../runtime/bot.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Scenario } from "./scenario.ts";
import type { SeenTransaction, Oracle } from "./oracle.ts";

/** Where an invariant looks. */
export interface ObservedWorld {
  readonly scenario: Scenario;
  readonly oracle: Oracle;
  /** Milliseconds since the world began. */
  elapsedMs(): number;
  /** A bot runs: between its start and its end or a kill. */
  isBotAlive(): boolean;
  /** What the journal's file was given last. */
  lastAppended(): string;
  /** The disk refused an append of this run: from then on only cancels may leave, unwritten. */
  hasDiskFailed(): boolean;
  /** Re-runs everything that the journal holds; a sentence when it is not the same again. */
  verify(): string | undefined;
}

/** Something that must always be true. Each hook gives a sentence when it is not. */
export interface Invariant {
  readonly name: string;
  /** Made anew for each world. */
  watch(world: ObservedWorld): InvariantHooks;
}

export interface InvariantHooks {
  /** A new process of the bot begins. */
  runStarts?(): void;
  /** After each step of the kernel that observers receive; the oracle knows it already. */
  entry?(entry: ObservedEntry): string | undefined;
  /** A request leaves the bot; with its transaction, when it is a command. */
  request?(transaction: SeenTransaction | undefined): string | undefined;
  /** Every 50 ms, and after each request that the venue served. */
  tick?(): string | undefined;
  /** The venue starts anew, and remembers nothing. */
  forgotten?(): void;
  /** The last fault ended this moment. */
  calm?(): string | undefined;
  /** The faults are over for so long that everything has to be in order, and the bot still works. */
  healed?(): string | undefined;
  /** A run ended because its journal could not be written. */
  diskEnded?(end: BotEnd): string | undefined;
  /** The bot was stopped, and nothing is under way any more. */
  ended?(end: BotEnd): string | undefined;
}
