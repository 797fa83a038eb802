import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { BotEnd } from "../runtime/bot.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import type { FaultEpisode } from "./fault-plan.ts";
import type { Fault } from "./faults.ts";
import type { OwnStrategy } from "./scenario.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly crypto: Crypto;
  /** `pure-market-making`, or any strategy with `own`. */
  readonly strategy: StrategyDefinition;
  /** For a strategy that the worlds are not made for. */
  readonly own?: OwnStrategy | undefined;
  /** Duration of the faults, in ms. Default 60 s. */
  readonly faultsMs?: number;
  /** Default: a random choice. */
  readonly faults?: readonly Fault[];
  /** Faults besides those that the seed picks. */
  readonly besides?: readonly Fault[];
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
