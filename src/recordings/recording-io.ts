import type { Compression } from "../ports/compression.ts";
import type { ReadFile, Store } from "../ports/store.ts";

/** Ports that reading and writing recordings needs. */
export interface RecordingIo {
  readonly store: Store;
  readonly compression: Compression;
}

/** Whether this is the name of an event file. The files of a recording are read in the order of their names. */
export function isSegment(name: string): boolean {
  return /^events-\d+\.ndjson(\.zst|\.gz)?$/.test(name);
}

/** How far a file has been read. */
export interface ReadProgress {
  /** Bytes on disk, of all its bytes. */
  read: number;
  total: number;
  /** Characters of a last line without a newline, which was left out. */
  torn: number;
  /** The compressed file ends too early. */
  isCutOff: boolean;
}

export function noProgress(): ReadProgress {
  return { read: 0, total: 0, torn: 0, isCutOff: false };
}

/** A line of text is never longer. */
const LINE_CHARS_MAX = 1 << 26;

/**
 * Lines of an unpacked file, which is read piece by piece and closed at its end. A last line without a newline is incomplete and is left out
 * unless `keepsTail` is set; with it, a packed file whose end is missing throws.
 */
export function* linesOf(
  { compression }: RecordingIo,
  file: ReadFile,
  options: { readonly keepsTail: boolean; readonly progress: ReadProgress },
): Generator<string> {
  const { keepsTail, progress } = options;
  Object.assign(progress, noProgress(), { total: file.size });
  const onCutOff = (): void => {
    progress.isCutOff = true;
  };
  const counted: ReadFile = {
    size: file.size,
    read(into, at) {
      file.read(into, at);
      progress.read = at + into.length;
    },
    close: () => undefined,
  };
  const decoder = new TextDecoder();
  let line = "";
  try {
    for (const piece of compression.unpack(counted, keepsTail ? undefined : onCutOff)) {
      const text = line + decoder.decode(piece, { stream: true });
      let from = 0;
      for (let to = text.indexOf("\n", line.length); to >= 0; to = text.indexOf("\n", from)) {
        yield text.slice(from, to);
        from = to + 1;
      }
      line = text.slice(from);
      if (line.length > LINE_CHARS_MAX)
        throw new Error(`a line is longer than ${LINE_CHARS_MAX} characters`);
    }
  } finally {
    file.close();
  }
  if (!keepsTail) progress.torn = line.length;
  else if (line !== "") yield line;
}
