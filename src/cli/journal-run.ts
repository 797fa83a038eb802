import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import type { Entry } from "../journal/entry.ts";
import { entriesOfRun, type RecordedRun } from "../journal/segments.ts";
import type { Store } from "../ports/store.ts";
import { usageError } from "./exit-code.ts";
import { asPath, flag, integer, text } from "./option.ts";

export const runOption = integer(
  "--run <n>",
  "number of the run in `journal ls` (default: the last run)",
  { min: 1 },
);

/** Which plugin code a re-run may load. A journal may come from a stranger, so a path in it is not trusted. */
export interface PluginTrust {
  /** The user's YAML, which names the plugins. */
  readonly config: string | undefined;
  /** Also load what the journal names. */
  readonly trust: boolean;
}

export const trustOptions = {
  config: asPath(text("--config <file>", "YAML file of the run, which names its plugins")),
  trust: flag("--trust", "run the plugin files that the journal names"),
};

/** Lists the runs of a journal, oldest first. Throws `JOURNAL_MISSING` when there are none. */
export async function openJournal(
  folder: string,
): Promise<{ readonly store: Store; readonly runs: readonly RecordedRun[] }> {
  const { createStore } = await import("../platform/store.ts");
  const { listRuns } = await import("../journal/segments.ts");
  const store = createStore();
  const runs = listRuns(store, folder);
  if (runs.length === 0) throw journalMissing(folder);
  return { store, runs };
}

/** A run by its number, or the last one, for which earlier runs are not read. Throws `JOURNAL_MISSING` and usage errors. */
export async function openRun(
  folder: string,
  number: number | undefined,
): Promise<{ readonly store: Store; readonly run: RecordedRun }> {
  if (number !== undefined) {
    const { store, runs } = await openJournal(folder);
    return { store, run: runAt(runs, number) };
  }
  const { createStore } = await import("../platform/store.ts");
  const { newestRun } = await import("../journal/segments.ts");
  const store = createStore();
  const run = newestRun(store, folder);
  if (run === undefined) throw journalMissing(folder);
  return { store, run };
}

export function journalMissing(folder: string): TouchlineError {
  return new TouchlineError("JOURNAL_MISSING", `There is no journal in ${folder}.`, {
    hint: "Give the folder that `journal.path` in the bot's YAML names.",
  });
}

/** The run with this number, counted from 1; the last run by default. Throws a usage error when there is none. */
export function runAt(runs: readonly RecordedRun[], number: number | undefined): RecordedRun {
  const run = number === undefined ? runs.at(-1) : runs[number - 1];
  if (run === undefined) {
    throw usageError(
      `The journal has ${counted(runs.length, "run")}, not ${number}.`,
      "See: touchline journal ls",
    );
  }
  return run;
}

/** The entries of a run for a re-run, which needs all of them. Throws `JOURNAL_INCOMPLETE` when the run's beginning was deleted. */
export function* entriesFromStart(store: Store, run: RecordedRun): Generator<Entry> {
  let isFirst = true;
  for (const entry of entriesOfRun(store, run)) {
    if (isFirst && entry.type === "batch" && entry.entry.batch.seq !== 1) {
      throw new TouchlineError(
        "JOURNAL_INCOMPLETE",
        `The journal has run ${run.header.runId} from batch ${entry.entry.batch.seq} on only.`,
        { hint: "A run can be re-run from its beginning only, which journal.keep has deleted." },
      );
    }
    isFirst &&= entry.type !== "batch";
    yield entry;
  }
}
