import { guardStrategies } from "../backtest/impure-calls.ts";
import type { ReplayResult } from "../backtest/replay-result.ts";
import { TouchlineError } from "../base/error.ts";
import { validate } from "../config/issue.ts";
import type { ProposedChange } from "../dashboard/journal-reader.ts";
import type { BatchEntry } from "../journal/entry.ts";
import { batchesAmong } from "../journal/journal-tables.ts";
import { entriesOfRun, type RecordedRun } from "../journal/segments.ts";
import { HOUR_MS } from "../domain/time.ts";
import { beginningWithBooks } from "../parity/beginning-with-books.ts";
import { replayTuned } from "../parity/replay-tuned.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import type { Store } from "../ports/store.ts";
import { runAll } from "../recordings/steps.ts";
import { openRun, type PluginTrust } from "./journal-run.ts";
import { recordedStrategies } from "./journal-tools.ts";
import { refuseLimits, tuned } from "./retune.ts";

/**
 * Replays the end of a bot's journal with its present parameters and with changed ones. Throws TouchlineError where `tune` would refuse
 * the change, and where there is nothing to replay.
 */
export async function propose(
  folder: string,
  trust: PluginTrust,
  { strategy: name, settings, spanMs, present, isAgent }: ProposedChange,
) {
  guardStrategies();
  const { store, run } = await openRun(folder, undefined);
  const { header } = run;
  const strategies = (await recordedStrategies(header, trust)).map((binding) => {
    const writtenParams = present.find((one) => one.name === binding.name)?.params;
    const params = validate(binding.definition.params, writtenParams);
    if (params.ok) return { ...binding, params: params.value, writtenParams };
    throw new TouchlineError(
      "PLUGIN_CHANGED",
      `The plugin of strategy ${binding.name} no longer accepts its parameters.`,
    );
  });
  const before = { file: "parameters", strategies };
  const next = tuned(before, name, settings);
  if (isAgent) refuseLimits(before, next.config);
  if (next.strategies.length === 0) {
    throw new TouchlineError("NOTHING_CHANGED", "The strategy has these parameters already.");
  }
  const { batches, isShorter } = newestBatches(store, run, spanMs);
  const isWhole = batches[0]?.batch.seq === 1;
  const replayed = runAll(
    replayTuned({
      header,
      batches: isWhole ? batches : beginningWithBooks(batches),
      before: strategies,
      after: next.config.strategies,
      keccak256: await loadKeccak256(),
    }),
  );
  const { fromMs, toMs, latency } = replayed;
  const hours = (ms: number): string => `${Number((ms / HOUR_MS).toPrecision(2))} h`;
  const notModelled = [
    ...new Set([...replayed.before.notModelled, ...replayed.after.notModelled]),
    "changes of parameters in the run: each replay has the same ones from its beginning to its end.",
    ...(isShorter
      ? [
          `what was before this run: the journal has ${hours(toMs - fromMs)} of it, ${hours(spanMs)} were asked for, and earlier runs are not replayed.`,
        ]
      : []),
    ...(isWhole
      ? []
      : ["the position at the beginning, since the run is older: both replays begin without one."]),
  ];
  return {
    fromMs,
    toMs,
    latency,
    before: figuresOf(replayed.before, name),
    after: figuresOf(replayed.after, name),
    notModelled,
  };
}

/** The batches of the run's last `spanMs`, and whether the journal has less of the run. Older segments are not decoded. */
function newestBatches(
  store: Store,
  run: RecordedRun,
  spanMs: number,
): { readonly batches: readonly BatchEntry[]; readonly isShorter: boolean } {
  let batches: readonly BatchEntry[] = [];
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const segment of run.segments.toReversed()) {
    const entries = entriesOfRun(store, { ...run, segments: [segment] });
    batches = [...batchesAmong(entries), ...batches];
    sinceMs = (batches.at(-1)?.batch.nowMs ?? 0) - spanMs;
    if ((batches[0]?.batch.nowMs ?? sinceMs) < sinceMs) break;
  }
  const newest = batches.filter(({ batch }) => batch.nowMs >= sinceMs);
  return { batches: newest, isShorter: newest.length === batches.length };
}

/** What a change of parameters is judged by. */
function figuresOf(replayed: ReplayResult, name: string) {
  const of = replayed.strategies?.find((one) => one.name === name) ?? replayed;
  const { fills, pnl, markouts, maxDrawdown, volumeQuote, fees, fillRatio, sharpe } = of;
  const { inventoryStatistics, uptimeBid, uptimeAsk } = of;
  const result = { fills, pnl, markouts, maxDrawdown, volumeQuote, fees, fillRatio, sharpe };
  return { ...result, inventory: inventoryStatistics, uptimeBid, uptimeAsk };
}
