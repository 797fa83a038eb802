import { DataReader, DataWriter } from "./data-codec.ts";
import type { BatchEntry, Entry } from "./entry.ts";
import { damaged, HEAD_BYTES, sealFrame, type Frame } from "./frame.ts";
import { BATCH_FRAME, recordKindOf, recordKindOfFrame, writeBatch } from "./record-kinds.ts";

/** Turns entries into frames. One encoder writes one segment, in order. */
export class EntryEncoder {
  readonly #writer = new DataWriter();

  /** The frame of an entry, as a view that the next call overwrites. */
  encode(entry: Entry): Uint8Array {
    const { frame, startsStretch, write } = recordKindOf(entry);
    const writer = this.#writer;
    writer.begin(HEAD_BYTES);
    if (startsStretch) writer.reset();
    write(writer, entry);
    return this.#seal(frame);
  }

  /** Like `encode`, for the entries of the hot path. */
  batch(entry: BatchEntry): Uint8Array {
    this.#writer.begin(HEAD_BYTES);
    writeBatch(this.#writer, entry);
    return this.#seal(BATCH_FRAME);
  }

  #seal(kind: number): Uint8Array {
    const frame = this.#writer.written;
    sealFrame(frame, this.#writer.view, kind);
    return frame;
  }
}

/** Decodes the frames of a segment in order, from its start or from a `run` or `checkpoint` frame on. */
export class EntryDecoder {
  readonly #reader = new DataReader();
  readonly #segment: string;

  constructor(segment: string) {
    this.#segment = segment;
  }

  /** Throws JOURNAL_DAMAGED on bytes that cannot be read. */
  decode(frame: Frame): Entry {
    const kind = recordKindOfFrame(frame.kind);
    if (kind === undefined) {
      const what = `holds a record of the unknown kind ${frame.kind} at byte ${frame.offset}`;
      throw damaged(this.#segment, frame.offset, what);
    }
    const reader = this.#reader;
    try {
      reader.begin(frame.payload);
      if (kind.startsStretch) reader.reset();
      const entry = kind.read(reader);
      if (!reader.isAtEnd) throw new RangeError("bytes are left over");
      return entry;
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      throw damaged(
        this.#segment,
        frame.offset,
        `holds an entry at byte ${frame.offset} that cannot be read: ${thrown.message}`,
      );
    }
  }
}
