import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import type { ReplayResult } from "../backtest/replay-result.ts";
import { validate } from "../config/issue.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { responses } from "../dashboard/api-schema.ts";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import type { BatchEntry } from "../journal/entry.ts";
import { entriesOfRun, newestRun } from "../journal/segments.ts";
import { batchesAmong } from "../journal/journal-tables.ts";
import { replayTuned } from "../parity/replay-tuned.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import { createStore } from "../platform/store.ts";
import { journalMissing } from "./journal-run.ts";
import { withProgress } from "./progress.ts";
import { refuseLimits, tuned } from "./retune.ts";
import type { Terminal } from "./terminal.ts";

/** How much of the newest run is replayed. */
const REPLAYED_MS = 24 * 60 * 60 * 1000;

/** New parameters of a strategy, as `touchline tune` takes them. */
export const change = z.object({ strategy: z.string(), settings: z.array(z.string()).readonly() });
export type Change = z.output<typeof change>;

/** What `GET /strategies` responds. */
export type Parameters = z.output<typeof responses.strategies>;

/** A change of parameters that has been replayed. */
export interface ParamsProposal extends Change {
  /** The strategies' parameters with which it was compared. */
  readonly parameters: Parameters;
  readonly figures: object;
}

/**
 * Replays the last day of a bot's journal with its present parameters and with changed ones. Throws TouchlineError where `tune` would
 * refuse the change of an agent, and where there is nothing to replay.
 */
export async function propose(
  file: BotConfig,
  present: Parameters,
  change: Change,
  terminal: Terminal,
): Promise<ParamsProposal> {
  const config = withParameters(file, present);
  const next = tuned(config, change.strategy, change.settings);
  refuseLimits(config, next.config);
  if (next.strategies.length === 0) {
    throw new TouchlineError("NOTHING_CHANGED", "The strategy has these parameters already.");
  }
  const { header, batches, isWhole } = lastDay(config.journal.path);
  const bindings = (of: BotConfig) => withMarketIds(of, header.markets).strategies;
  const steps = replayTuned({
    header,
    batches,
    before: bindings(config),
    after: bindings(next.config),
    keccak256: await loadKeccak256(),
  });
  const { before, after, ...span } = await withProgress(terminal, "replaying", steps);
  const notModelled = [
    ...new Set([...before.notModelled, ...after.notModelled]),
    "changes of parameters in the run: each replay has the same ones from its beginning to its end.",
    ...(isWhole
      ? []
      : ["the position at the beginning, since the run is older: both replays begin without one."]),
  ];
  const figures = {
    ...span,
    before: figuresOf(before, change.strategy),
    after: figuresOf(after, change.strategy),
    notModelled,
  };
  return { ...change, parameters: present, figures };
}

/** Throws `PROPOSAL_STALE` unless the bot still has the parameters with which the proposal was compared. */
export function refuseStale({ parameters }: ParamsProposal, present: Parameters): void {
  if (isDeepStrictEqual(parameters, present)) return;
  throw new TouchlineError(
    "PROPOSAL_STALE",
    "The bot's parameters have changed since this proposal was replayed.",
    { hint: "Propose it again." },
  );
}

/** The file's strategies with the parameters that the running bot has. */
function withParameters(config: BotConfig, present: Parameters): BotConfig {
  const strategies = config.strategies.map((strategy) => {
    const running = present.find(({ name }) => name === strategy.name);
    const params = validate(strategy.definition.params, running?.params);
    if (running !== undefined && params.ok) {
      return { ...strategy, params: params.value, writtenParams: running.params };
    }
    throw new TouchlineError(
      "CONFIG_CHANGED",
      `${config.file} is not what the bot runs: strategy ${strategy.name} differs.`,
      { hint: "Give the running bot's file, or restart the bot with this one." },
    );
  });
  return { ...config, strategies };
}

/** The last day of the newest run, or the whole run. Market data before the first snapshot of a book is not played. */
function lastDay(folder: string) {
  const store = createStore();
  const run = newestRun(store, folder);
  if (run === undefined) throw journalMissing(folder);
  let batches: readonly BatchEntry[] = [];
  let read: BatchEntry[] = [];
  const lastOf = (): readonly BatchEntry[] => {
    const sinceMs = (read.at(-1)?.batch.nowMs ?? 0) - REPLAYED_MS;
    return [...batches, ...read].filter(({ batch }) => batch.nowMs >= sinceMs);
  };
  for (const entry of batchesAmong(entriesOfRun(store, run))) {
    read.push(entry);
    // So that a long run does not have to fit into memory.
    if (entry.batch.nowMs - (read[0]?.batch.nowMs ?? 0) < REPLAYED_MS) continue;
    batches = lastOf();
    read = [];
  }
  if (read.length > 0) batches = lastOf();
  return { header: run.header, batches, isWhole: batches[0]?.batch.seq === 1 };
}

/** What a change of parameters is judged by. */
function figuresOf(replayed: ReplayResult, name: string) {
  const of = replayed.strategies?.find((one) => one.name === name) ?? replayed;
  const { fills, pnl, markouts, maxDrawdown, volumeQuote, fees, fillRatio, sharpe } = of;
  const { inventoryStatistics, uptimeBid, uptimeAsk } = of;
  const result = { fills, pnl, markouts, maxDrawdown, volumeQuote, fees, fillRatio, sharpe };
  return { ...result, inventory: inventoryStatistics, uptimeBid, uptimeAsk };
}
