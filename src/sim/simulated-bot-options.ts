import type { Prng } from "../base/prng.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { BotEnd } from "../runtime/bot.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import type { Scenario } from "./scenario.ts";
import type { SimulatedSession } from "./simulated-session.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import type { WatchedStore } from "./watched-store.ts";

/** Callbacks for what the bot does. */
export interface BotWatch {
  /** A process begins to start. `hasStartFailed`: the one before it ended by itself before it had a kernel. */
  processStarts(hasStartFailed: boolean): void;
  /** A new process has started; `downMs` is the time since the one before it ended. */
  runStarts(downMs: number): void;
  startFailed(): void;
  /** A process has ended before its first order, by a fault or the operator. */
  endedWhileStarting(how: string): void;
  /** A run ended `tookMs` after the operator stopped it; a new process follows. */
  operatorEnded(end: BotEnd, tookMs: number): void;
  /** A run ended by itself because its journal could not be written; a new process follows. */
  diskEnded(end: BotEnd): void;
  /** A run ended by itself because its strategies failed; a new process follows. */
  strategyEnded(end: BotEnd): void;
  /** A run ended by itself because its session had ended or its signature was refused; a new process follows. */
  sessionEnded(end: BotEnd): void;
  entry(entry: ObservedEntry): void;
  /** A request is about to be sent; `transaction` is undefined unless it is a command. */
  request(transaction: SeenTransaction | undefined): void;
  /** The watchdog's thread is about to send a command for a blocked bot. */
  watchdogRequest(transaction: SeenTransaction): void;
  /** It ends the process; `left` as in `VirtualWatchdogOptions`. */
  watchdogEnded(left: readonly OrderId[] | undefined): void;
  /** No byte of a request with this command left the bot. */
  notSent(transaction: SeenTransaction): void;
  /** A 429 has come, with the time that it tells the bot to wait. */
  limited(retryAfterMs: number): void;
  /** A response has come that refuses this command. */
  refused(transaction: SeenTransaction): void;
  /** A readable answer to a command has come to the bot's machine. */
  answered(transaction: SeenTransaction): void;
  /** The response to a command broke on its way, or is not the venue's. */
  broken(transaction: SeenTransaction): void;
  ended(end: BotEnd): void;
}

export interface SimulatedBotOptions {
  readonly scenario: Scenario;
  /** `pure-market-making`. */
  readonly strategy: StrategyDefinition;
  /** It, in two markets at once: the same as `strategy` where that is of two markets by itself. */
  readonly paired: StrategyDefinition;
  /** The second strategy of a world that has one. */
  readonly meeter: StrategyDefinition;
  readonly crypto: Crypto;
  /** The owner's key. */
  readonly signer: Signer;
  /** Undefined: the bot signs with the owner's key. */
  readonly session?: SimulatedSession | undefined;
  readonly time: VirtualClock;
  readonly network: VirtualNetwork;
  /** Its files outlive the processes of the bot. */
  readonly store: WatchedStore;
  readonly prng: Prng;
  readonly log: Log;
  readonly watch: BotWatch;
}
