import { createLog } from "../platform/log.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { contingentStrategy } from "./contingent-strategy.ts";
import { takingStrategy } from "./taking-strategy.ts";
import { faults } from "./faults.ts";
import { simulate, type FaultEpisode } from "./simulate.ts";

/** One world as the command line names it: plain data, so that it can be sent to another process. */
export interface WorldOptions {
  readonly seed: number;
  readonly faultsMs: number;
  /** The faults by name; undefined: those that the seed picks. */
  readonly faults: readonly string[] | undefined;
  /** Faults by name besides those that the seed picks. */
  readonly besides: readonly string[];
  readonly neverModify: boolean;
  readonly contingent: boolean;
  readonly taking: boolean;
  /** Runs the world twice and compares the traces. */
  readonly twice: boolean;
  /** Prints the bot's log to stderr. */
  readonly log: boolean;
}

/** What became of a world, as plain data. */
export interface WorldReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly reached: readonly (readonly [string, number])[];
  /** The longest time of each kind of waiting, milliseconds. */
  readonly longestMs: readonly (readonly [string, number])[];
  /** Names of the faults that the world has. */
  readonly faults: readonly string[];
  readonly episodes: readonly FaultEpisode[];
  readonly virtualMs: number;
}

export interface WorldTools {
  readonly crypto: Crypto;
  /** `pure-market-making`. */
  readonly strategy: StrategyDefinition;
}

export async function runWorld(
  options: WorldOptions,
  { crypto, strategy }: WorldTools,
): Promise<WorldReport> {
  const { seed, faultsMs, contingent, taking } = options;
  const named = options.faults;
  const called = (names: readonly string[]) => faults.filter(({ name }) => names.includes(name));
  const run = () =>
    simulate({
      seed,
      crypto,
      strategy: contingent ? contingentStrategy : taking ? takingStrategy : strategy,
      faultsMs,
      ...(named === undefined ? { besides: called(options.besides) } : { faults: called(named) }),
      ...(options.neverModify ? { useModify: false } : {}),
      ...(options.log ? { log: createLog({ level: "debug" }) } : {}),
    });
  const result = await run();
  const violations = [...result.violations];
  if (options.twice && (await run()).traceHash !== result.traceHash) {
    violations.push("0.000 s: twice: the second run of the same seed had another trace");
  }
  return {
    seed,
    violations,
    reached: [...result.reached],
    longestMs: [...result.longestMs],
    faults: result.faults,
    episodes: result.episodes,
    virtualMs: result.virtualMs,
  };
}

/** The command that repeats a world. */
export function repeatCommand(options: WorldOptions): string {
  const { seed, faultsMs, besides, neverModify, contingent, taking } = options;
  const added = besides.length === 0 ? "" : ` --with ${besides.join(",")}`;
  const flags =
    (contingent ? " --contingent" : "") +
    (taking ? " --taking" : "") +
    (neverModify ? " --never-modify" : "") +
    (options.faults !== undefined ? ` --faults ${options.faults.join(",") || "none"}` : added) +
    (faultsMs === 60_000 ? "" : ` --fault-seconds ${faultsMs / 1000}`);
  return `npm run sim -- --from ${seed} --seeds 1${flags}`;
}
