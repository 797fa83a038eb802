import type { Compression } from "../ports/compression.ts";
import type { Store } from "../ports/store.ts";

/** Ports that reading and writing recordings needs. */
export interface RecordingIo {
  readonly store: Store;
  readonly compression: Compression;
}

/** Whether this is the name of an event file. The files of a recording are read in the order of their names. */
export function isSegment(name: string): boolean {
  return /^events-\d+\.ndjson(\.zst|\.gz)?$/.test(name);
}

/** Progress through a file in characters of its unpacked text; 0 of 0 before it is opened. What is left at the end is a torn line. */
export interface ReadProgress {
  read: number;
  total: number;
  /** The compressed file ends too early. */
  isCutOff?: boolean;
}

/**
 * Lines of an unpacked file. A last line without a newline is incomplete and is left out unless `keepsTail` is set;
 * with it, a packed file whose end is missing throws.
 */
export function* linesOf(
  io: RecordingIo,
  bytes: Uint8Array,
  options: { readonly keepsTail: boolean; readonly progress?: ReadProgress },
): Generator<string> {
  const progress: ReadProgress = options.progress ?? { read: 0, total: 0 };
  const onCutOff = (): void => {
    progress.isCutOff = true;
  };
  const text = new TextDecoder().decode(io.compression.decompress(bytes, onCutOff));
  if (options.keepsTail && progress.isCutOff === true) throw new Error("its end is missing");
  progress.total = text.length;
  let from = 0;
  for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
    yield text.slice(from, to);
    from = to + 1;
    progress.read = from;
  }
  if (options.keepsTail && from < text.length) yield text.slice(from);
}
