import { TouchlineError } from "../base/error.ts";
import { entriesOfRun, listRuns } from "../journal/segments.ts";
import { verifyRun } from "../journal/verify.ts";
import type { Crypto } from "../ports/crypto.ts";
import { verifyToolsOf } from "../runtime/verify-tools.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { journalFolder, simulatedStrategies } from "./simulated-settings.ts";
import type { WatchedStore } from "./watched-store.ts";

export interface RerunOptions {
  readonly store: WatchedStore;
  readonly crypto: Crypto;
  /** Those of the bot. */
  readonly strategy: StrategyDefinition;
  readonly paired: StrategyDefinition;
  readonly meeter: StrategyDefinition;
  /** Called for each run that was re-run. */
  verified(): void;
}

/** Re-runs every run in the journal. Returns why one differs from what the journal says or cannot be read; undefined when none does. */
export function rerunProblem(options: RerunOptions): string | undefined {
  try {
    return firstProblem(options);
  } catch (thrown) {
    if (thrown instanceof TouchlineError) return thrown.message;
    throw thrown;
  }
}

function firstProblem(options: RerunOptions): string | undefined {
  const { store, crypto, verified } = options;
  for (const run of listRuns(store, journalFolder)) {
    const strategies = simulatedStrategies(options, run.header.strategies);
    const tools = verifyToolsOf(run.header, crypto, strategies);
    const result = verifyRun(run.header, entriesOfRun(store, run), tools);
    verified();
    const { firstDifference, signed, recovered } = result;
    if (firstDifference !== null) {
      return `batch ${firstDifference.seq}: ${firstDifference.what}: ${firstDifference.message}`;
    }
    if (signed !== recovered) return `${recovered} of ${signed} signatures are by the signer`;
  }
  return undefined;
}
