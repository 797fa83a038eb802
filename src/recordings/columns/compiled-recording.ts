import { TouchlineError } from "../../base/error.ts";
import { errorText } from "../../base/error-text.ts";
import type { ReadFile } from "../../ports/store.ts";
import type { ReplayEvent } from "../recorded-gaps.ts";
import type { Recording } from "../recording.ts";
import type { Steps } from "../steps.ts";
import { type ColumnFooter, readFooter, type TextState } from "./column-file.ts";
import { compileMarkets } from "./compile.ts";
import { MarketColumns } from "./market-columns.ts";
import { ColumnsInMemory, ColumnsOnDisk, type NewColumns } from "./new-columns.ts";
import { TextStates } from "./text-states.ts";

/** Folder of the compiled form, in the folder of the recording. */
const COMPILED_FOLDER = "compiled";

/** The text is whole, and what was compiled from it cannot be kept. */
const diskFailures: readonly string[] = ["WRITE_FAILED", "READ_FAILED"];

/** Takes a sentence for the user. */
export type Say = (sentence: string) => void;

/** Markets of a recording in compiled form. */
export class CompiledRecording {
  readonly #markets: ReadonlyMap<string, MarketColumns>;

  constructor(markets: ReadonlyMap<string, MarketColumns>) {
    this.#markets = markets;
  }

  market(marketId: string): MarketColumns | undefined {
    return this.#markets.get(marketId);
  }

  /** Time of receipt of the last event, Unix milliseconds. */
  get endMs(): number {
    return Math.max(0, ...[...this.#markets.values()].map(({ endMs }) => endMs));
  }

  /** See `Recording.replayEvents`. */
  replayEvents(marketId: string): Iterable<ReplayEvent> {
    return this.market(marketId)?.replayEvents() ?? [];
  }

  close(): void {
    for (const columns of this.#markets.values()) columns.close();
  }
}

/** As `openCompiled`, for all markets of a recording at once. */
export function openAllCompiled(recording: Recording, say: Say): Steps<CompiledRecording> {
  const { markets } = recording.manifest;
  return openCompiled(
    recording,
    markets.map(({ marketId }) => marketId),
    say,
  );
}

/**
 * Opens the compiled form of markets. Compiles those that are missing, damaged, of another version or older than the text, and keeps them
 * beside it; where that is not possible, in memory. The caller closes the result. Throws TouchlineError `RECORDING_INVALID` when the
 * text is damaged.
 */
export function* openCompiled(
  recording: Recording,
  marketIds: readonly string[],
  say: Say,
): Steps<CompiledRecording> {
  const texts = new TextStates(recording);
  const found = new Map<string, MarketColumns>();
  for (const marketId of new Set(marketIds)) {
    const columns = openKept(recording, marketId, texts, say);
    if (columns !== undefined) found.set(marketId, columns);
  }
  const missing = [...new Set(marketIds)].filter((marketId) => !found.has(marketId));
  if (missing.length > 0) {
    const built = yield* keptOrInMemory(recording, missing, texts.now(), say);
    for (const columns of built) found.set(columns.marketId, columns);
  }
  const torn = new Set([...found.values()].flatMap(({ tornFiles }) => tornFiles));
  for (const file of torn) {
    say(`${file} of the recording is cut off: its end is missing (touchline recording check).`);
  }
  return new CompiledRecording(found);
}

function pathOf({ folder }: Recording, marketId: string): string {
  return `${folder}/${COMPILED_FOLDER}/${encodeURIComponent(marketId)}.columns`;
}

/** The compiled form that an earlier start left; undefined when it has to be built. */
function openKept(
  recording: Recording,
  marketId: string,
  texts: TextStates,
  say: Say,
): MarketColumns | undefined {
  const inMemory = recording.columnsInMemory.get(marketId);
  if (inMemory !== undefined) return inMemory;
  const { store, compression } = recording.io;
  let reason = "is damaged or of another version";
  let file: ReadFile | undefined;
  try {
    file = store.openRead(pathOf(recording, marketId));
    if (file === undefined) return undefined;
    const footer = readFooter(file, compression);
    if (footer !== undefined && footer.marketId === marketId) {
      const isSame = footer.ids === recording.market(marketId)?.ids && texts.areSame(footer.texts);
      if (isSame) return new MarketColumns(file, footer);
      reason = "is older than the recording";
    }
  } catch (thrown) {
    reason = `cannot be read (${errorText(thrown)})`;
  }
  file?.close();
  say(`The compiled form of ${marketId} ${reason}; it is built again.`);
  return undefined;
}

function* keptOrInMemory(
  recording: Recording,
  marketIds: readonly string[],
  texts: readonly TextState[],
  say: Say,
): Steps<readonly MarketColumns[]> {
  const { store } = recording.io;
  try {
    const create = (marketId: string) => new ColumnsOnDisk(store, pathOf(recording, marketId));
    return yield* build(recording, marketIds, texts, create);
  } catch (thrown) {
    if (!(thrown instanceof TouchlineError) || !diskFailures.includes(thrown.code)) throw thrown;
    say(`${thrown.message} The recording is compiled in memory, and again at the next start.`);
    const built = yield* build(recording, marketIds, texts, () => new ColumnsInMemory());
    for (const columns of built) recording.columnsInMemory.set(columns.marketId, columns);
    return built;
  }
}

function* build(
  recording: Recording,
  marketIds: readonly string[],
  texts: readonly TextState[],
  create: (marketId: string) => NewColumns,
): Steps<readonly MarketColumns[]> {
  const files: NewColumns[] = [];
  try {
    const targets = marketIds.map((marketId) => {
      const file = create(marketId);
      files.push(file);
      return { marketId, append: (bytes: Uint8Array) => file.append(bytes) };
    });
    yield* compileMarkets(recording, targets, texts);
    return files.map((each) => {
      const file = each.finish();
      return new MarketColumns(file, footerOf(file, recording));
    });
  } finally {
    for (const file of files) file.discard();
  }
}

function footerOf(file: ReadFile, { io, folder }: Recording): ColumnFooter {
  const footer = readFooter(file, io.compression);
  if (footer !== undefined) return footer;
  throw new TouchlineError(
    "READ_FAILED",
    `What was written to ${folder}/${COMPILED_FOLDER} reads back damaged.`,
    {
      hint: "Check the disk.",
    },
  );
}
