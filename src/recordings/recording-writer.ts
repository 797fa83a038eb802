import { TouchlineError } from "../base/error.ts";
import type { AppendFile } from "../ports/store.ts";
import { eventLine } from "./event-line.ts";
import { MANIFEST_FILE, manifestText, type Manifest } from "./manifest.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { isSegment, type RecordingIo } from "./recording-io.ts";

/** Text compressed in one piece; text not yet flushed is lost when the process is killed. */
const FLUSH_CHARS = 1 << 20;
/** Unpacked size of an event file. */
const SEGMENT_CHARS = 32 << 20;

/**
 * Writes event lines into files `events-0001.ndjson.zst`, `events-0002…`. Each flush is a zstd frame of its own, so a killed
 * writer loses at most one frame. The manifest may be written first (a recorder knows its markets) or last (an import does
 * not).
 */
export class RecordingWriter {
  readonly #io: RecordingIo;
  readonly #folder: string;
  #pending: string[] = [];
  #pendingChars = 0;
  #segment = 0;
  #segmentChars = 0;
  #file: AppendFile | undefined;

  /** Throws TouchlineError `RECORDING_EXISTS` when the folder holds a complete or partial recording. */
  constructor(io: RecordingIo, folder: string) {
    assertNoRecording(io, folder);
    this.#io = io;
    this.#folder = folder;
  }

  writeManifest(manifest: Manifest): void {
    const path = `${this.#folder}/${MANIFEST_FILE}`;
    const file = this.#io.store.openAppend(path, { truncateTo: 0 });
    file.append(new TextEncoder().encode(manifestText(manifest)));
    file.close();
  }

  append(event: RecordedEvent): void {
    const line = eventLine(event);
    this.#pending.push(line);
    this.#pendingChars += line.length;
    if (this.#pendingChars >= FLUSH_CHARS) this.flush();
  }

  /** Compresses the pending lines and writes them to the file. */
  flush(): void {
    if (this.#pendingChars === 0) return;
    if (this.#segmentChars >= SEGMENT_CHARS) this.#endSegment();
    this.#file ??= this.#nextSegment();
    const bytes = new TextEncoder().encode(this.#pending.join(""));
    this.#file.append(this.#io.compression.compress(bytes));
    this.#segmentChars += this.#pendingChars;
    this.#pending = [];
    this.#pendingChars = 0;
  }

  close(): void {
    this.flush();
    this.#endSegment();
  }

  #nextSegment(): AppendFile {
    this.#segment += 1;
    const name = `events-${String(this.#segment).padStart(4, "0")}.ndjson.zst`;
    return this.#io.store.openAppend(`${this.#folder}/${name}`);
  }

  #endSegment(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#segmentChars = 0;
  }
}

/** Throws TouchlineError `RECORDING_EXISTS` when the folder holds a complete or partial recording. */
export function assertNoRecording(io: RecordingIo, folder: string): void {
  const isTaken = io.store.list(folder).some((name) => name === MANIFEST_FILE || isSegment(name));
  if (!isTaken) return;
  throw new TouchlineError("RECORDING_EXISTS", `${folder} already holds a recording.`, {
    hint: "Name a new folder, or remove that one first.",
  });
}
