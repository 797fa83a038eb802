import { unreachable } from "../base/assert.ts";
import { unixMs } from "../domain/time.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { DataReader, DataWriter } from "./data-codec.ts";
import type { BatchEntry, Entry } from "./entry.ts";
import { damaged, frameKinds, HEAD_BYTES, sealFrame, type Frame, type FrameKind } from "./frame.ts";

/** Turns entries into frames. One encoder writes one segment, in order. */
export class EntryEncoder {
  readonly #writer = new DataWriter();

  /** The frame of an entry: a view that the next call overwrites. */
  encode(entry: Entry): Uint8Array {
    const writer = this.#writer;
    writer.begin(HEAD_BYTES);
    switch (entry.type) {
      case "run":
        writer.reset();
        writer.value(entry.head);
        return this.#seal(frameKinds.run);
      case "batch":
        return this.batch(entry.entry);
      case "checkpoint":
        writer.reset();
        writer.value(entry.restored);
        return this.#seal(frameKinds.checkpoint);
      case "crash":
        writer.value(entry.crash);
        return this.#seal(frameKinds.crash);
      default:
        return unreachable(entry);
    }
  }

  /** The same for the entry of the hot path. */
  batch(entry: BatchEntry): Uint8Array {
    const { batch, effects, signed, ended } = entry;
    const writer = this.#writer;
    writer.begin(HEAD_BYTES);
    writer.value(batch.seq);
    writer.value(batch.nowMs);
    writer.value(batch.inputs);
    // Most batches decide nothing: they end here.
    if (effects.length > 0 || signed.length > 0 || ended.length > 0) {
      writer.value(effects);
      writer.value(signed);
      writer.value(ended);
    }
    return this.#seal(frameKinds.batch);
  }

  #seal(kind: FrameKind): Uint8Array {
    const frame = this.#writer.written;
    sealFrame(frame, this.#writer.view, kind);
    return frame;
  }
}

/** Reads frames back, all of a segment in order; or from a `run` or `checkpoint` frame on. */
export class EntryDecoder {
  readonly #reader = new DataReader();
  readonly #segment: string;

  constructor(segment: string) {
    this.#segment = segment;
  }

  decode(frame: Frame): Entry {
    const reader = this.#reader;
    try {
      reader.begin(frame.payload);
      if (frame.kind === frameKinds.run || frame.kind === frameKinds.checkpoint) reader.reset();
      const entry = this.#entry(frame.kind);
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

  /** The checksum holds, so this is what was written: the shape is trusted. */
  #entry(kind: FrameKind): Entry {
    const reader = this.#reader;
    switch (kind) {
      case frameKinds.run:
        return { type: "run", head: reader.value() } as Entry;
      case frameKinds.checkpoint:
        return { type: "checkpoint", restored: reader.value() } as Entry;
      case frameKinds.crash:
        return { type: "crash", crash: reader.value() } as Entry;
      case frameKinds.batch: {
        const seq = reader.value() as number;
        const nowMs = unixMs(reader.value() as number);
        const inputs = reader.value() as readonly Input[];
        const isQuiet = reader.isAtEnd;
        const effects = isQuiet ? [] : (reader.value() as readonly Effect[]);
        const signed = isQuiet ? [] : (reader.value() as BatchEntry["signed"]);
        const ended = isQuiet ? [] : (reader.value() as BatchEntry["ended"]);
        return { type: "batch", entry: { batch: { seq, nowMs, inputs }, effects, signed, ended } };
      }
    }
  }
}
