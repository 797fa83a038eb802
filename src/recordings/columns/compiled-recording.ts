import { TouchlineError } from "../../base/error.ts";
import type { ReadFile, Replacement } from "../../ports/store.ts";
import type { Recording } from "../recording.ts";
import type { Steps } from "../steps.ts";
import { type ColumnFooter, readFooter, type TextState } from "./column-file.ts";
import { compileMarkets } from "./compile.ts";
import { fileInMemory, MarketColumns } from "./market-columns.ts";

/** Folder of the compiled form, in the folder of the recording. */
export const COMPILED_FOLDER = "compiled";

/** Takes a sentence for the user. */
export type Say = (sentence: string) => void;

/**
 * Opens the compiled form of markets, by market id. Compiles those that are missing, damaged, of another version or older than the text,
 * and keeps them beside it; where that is not possible, in memory. The caller closes the markets. Throws TouchlineError
 * `RECORDING_INVALID` when the text is damaged.
 */
export function* compiledMarkets(
  recording: Recording,
  marketIds: readonly string[],
  say: Say,
): Steps<ReadonlyMap<string, MarketColumns>> {
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
  return found;
}

function pathOf({ folder }: Recording, marketId: string): string {
  return `${folder}/${COMPILED_FOLDER}/${encodeURIComponent(marketId)}.columns`;
}

/** The compiled form that an earlier run left; undefined when it has to be built. */
function openKept(
  recording: Recording,
  marketId: string,
  texts: TextStates,
  say: Say,
): MarketColumns | undefined {
  const { store, compression } = recording.io;
  let reason = "is damaged or of another version";
  let file: ReadFile | undefined;
  try {
    file = store.openRead(pathOf(recording, marketId));
    if (file === undefined) return undefined;
    const footer = readFooter(file, compression);
    if (footer !== undefined && footer.marketId === marketId) {
      if (texts.areSame(footer.texts)) return new MarketColumns(file, footer);
      reason = "is older than the recording";
    }
  } catch (thrown) {
    reason = `cannot be read (${thrown instanceof Error ? thrown.message : String(thrown)})`;
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
  try {
    return yield* build(recording, marketIds, texts, (marketId) => {
      const path = pathOf(recording, marketId);
      const replacement = recording.io.store.openReplacement(path);
      return new KeptFile(recording, path, replacement);
    });
  } catch (thrown) {
    if (!(thrown instanceof TouchlineError) || thrown.code !== "WRITE_FAILED") throw thrown;
    say(`${thrown.message} The recording is compiled in memory, and again at the next start.`);
    return yield* build(recording, marketIds, texts, () => new FileInMemory());
  }
}

/** A file of columns that is being built. */
interface NewFile {
  append(bytes: Uint8Array): void;
  /** Ends the file and opens it. */
  finish(): ReadFile;
  discard(): void;
}

function* build(
  recording: Recording,
  marketIds: readonly string[],
  texts: readonly TextState[],
  create: (marketId: string) => NewFile,
): Steps<readonly MarketColumns[]> {
  const files: NewFile[] = [];
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

class KeptFile implements NewFile {
  readonly #recording: Recording;
  readonly #path: string;
  readonly #replacement: Replacement;

  constructor(recording: Recording, path: string, replacement: Replacement) {
    this.#recording = recording;
    this.#path = path;
    this.#replacement = replacement;
  }

  append(bytes: Uint8Array): void {
    this.#replacement.append(bytes);
  }

  finish(): ReadFile {
    this.#replacement.commit();
    const file = this.#recording.io.store.openRead(this.#path);
    if (file !== undefined) return file;
    throw new TouchlineError("READ_FAILED", `${this.#path} was removed while it was opened.`);
  }

  discard(): void {
    this.#replacement.discard();
  }
}

class FileInMemory implements NewFile {
  readonly #parts: Uint8Array[] = [];

  append(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  finish(): ReadFile {
    const whole = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return fileInMemory(whole);
  }

  discard(): void {
    this.#parts.length = 0;
  }
}

/** The state of a recording's event files. */
class TextStates {
  readonly #recording: Recording;
  readonly #hashes = new Map<string, string>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  now(): readonly TextState[] {
    return this.#recording.segments().map((name) => {
      const state = this.#stateOf(name);
      return { name, ...state, sha256: this.#sha256(name) };
    });
  }

  /** Whether the files are those. A file that was only copied or touched has the same hash. */
  areSame(texts: readonly TextState[]): boolean {
    const names = this.#recording.segments();
    return (
      names.length === texts.length &&
      texts.every(({ name, size, changed, sha256 }, at) => {
        if (name !== names[at]) return false;
        const now = this.#stateOf(name);
        if (now.size !== size) return false;
        return (changed !== "" && now.changed === changed) || this.#sha256(name) === sha256;
      })
    );
  }

  #stateOf(name: string): { readonly size: number; readonly changed: string } {
    const { io, folder } = this.#recording;
    return io.store.stateOf(`${folder}/${name}`) ?? { size: 0, changed: "" };
  }

  #sha256(name: string): string {
    const { io, folder } = this.#recording;
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const hash = io.compression.sha256(io.store.read(`${folder}/${name}`) ?? new Uint8Array());
    this.#hashes.set(name, hash);
    return hash;
  }
}
