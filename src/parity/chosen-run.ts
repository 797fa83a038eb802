import type { BatchEntry, Entry } from "../journal/entry.ts";
import { batchesAmong } from "../journal/journal-tables.ts";
import { ownFills } from "../journal/own-fills.ts";
import type { RecordedRun } from "../journal/segments.ts";

/** The last run whose orders were filled, else the last one. `entries` reads a run. */
export function lastWithFills(
  runs: readonly RecordedRun[],
  entries: (run: RecordedRun) => Iterable<Entry>,
): RecordedRun | undefined {
  return runs.findLast((run) => hasFills(batchesAmong(entries(run)))) ?? runs.at(-1);
}

function hasFills(batches: Iterable<BatchEntry>): boolean {
  for (const _ of ownFills(batches)) return true;
  return false;
}
