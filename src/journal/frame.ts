import { crc32 } from "node:zlib";
import { TouchlineError } from "../base/error.ts";
import { DataReader } from "./data-codec.ts";

/**
 * A segment is the magic text followed by frames:
 *
 *   length of payload u32 │ kind u8 │ check of these five bytes u24 │ CRC-32 of the payload u32 │ payload
 *
 * All little-endian. The head has its own checksum, so a corrupted length is recognised as damage and not taken for a torn tail.
 */
export const HEAD_BYTES = 12;
export const MAGIC: Uint8Array = new TextEncoder().encode("TLJRNL1\n");

export interface Frame {
  /** The kind of its record, 1 to 255. */
  readonly kind: number;
  readonly payload: Uint8Array;
  /** Byte at which it starts in its segment. */
  readonly offset: number;
}

/** Fills in the head of a frame. `frame` already has the payload after the head. */
export function sealFrame(frame: Uint8Array, view: DataView, kind: number): void {
  const length = frame.length - HEAD_BYTES;
  view.setUint32(0, length, true);
  view.setUint32(4, (headCheck(length, kind) << 8) | kind, true);
  view.setUint32(8, crc32(frame.subarray(HEAD_BYTES)), true);
}

/** A 24-bit checksum of length and kind. */
function headCheck(length: number, kind: number): number {
  let mixed = Math.imul(length ^ Math.imul(kind, 0x9e3779b1), 0x85ebca6b);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) & 0xff_ffff;
}

export interface SegmentScan {
  readonly frames: readonly Frame[];
  /** Byte after the last frame of `frames`; less than the file's length when the tail is torn. */
  readonly end: number;
  /** Complete frames after a damaged part of the tail. They cannot be decoded. Empty when the tail is whole or just torn. */
  readonly later: readonly Frame[];
}

/** The kind of a frame that says how much of its segment was durable when it was written. */
export const SYNCED_FRAME = 5;

/** Number of bytes of the segment that a frame of kind `SYNCED_FRAME` says are durable. */
function syncedBytes({ payload }: Frame): number {
  const reader = new DataReader();
  reader.begin(payload);
  const bytes = reader.value();
  return typeof bytes === "number" ? bytes : 0;
}

/**
 * The frames of a segment up to the first one that is incomplete or damaged. A torn tail is left by a crash during the write. A power
 * cut may also damage a part in the middle of the data that was not durable yet (docs/decisions/019). Damage of durable data throws
 * JOURNAL_DAMAGED with the offset.
 */
export function scanSegment(bytes: Uint8Array, name: string): SegmentScan {
  const start = MAGIC.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < start) return { frames: [], end: 0, later: [] };
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    // A segment whose first page was lost in a power cut begins with zeros.
    if (bytes.subarray(0, start).some((byte) => byte !== 0)) {
      throw damaged(name, 0, "is not a journal of this program");
    }
    const later = [...framesFrom(bytes, view, start)];
    refuseDurableDamage(later, { name, at: 0 });
    return { frames: [], end: 0, later };
  }
  const frames: Frame[] = [];
  let at = start;
  while (at < bytes.length) {
    const frame = frameAt(bytes, view, at);
    if (frame === undefined) break;
    frames.push(frame);
    at += HEAD_BYTES + frame.payload.length;
  }
  if (at >= bytes.length) return { frames, end: at, later: [] };
  const later = [...framesFrom(bytes, view, at + 1)];
  refuseDurableDamage(later, { name, at });
  return { frames, end: at, later };
}

/** Throws JOURNAL_DAMAGED when a frame after the damage says that the damaged bytes were durable. */
function refuseDurableDamage(
  later: readonly Frame[],
  { name, at }: { readonly name: string; readonly at: number },
): void {
  const mark = later.find((frame) => frame.kind === SYNCED_FRAME && syncedBytes(frame) > at);
  if (mark === undefined) return;
  throw damaged(
    name,
    at,
    `is damaged at byte ${at}, in data that was durable when the entry at byte ${mark.offset} was written`,
  );
}

/** All complete frames from a byte on, whatever is between them. */
function* framesFrom(bytes: Uint8Array, view: DataView, from: number): Generator<Frame> {
  let at = from;
  while (at + HEAD_BYTES <= bytes.length) {
    const frame = frameAt(bytes, view, at);
    if (frame === undefined) {
      at += 1;
      continue;
    }
    yield frame;
    at += HEAD_BYTES + frame.payload.length;
  }
}

function frameAt(bytes: Uint8Array, view: DataView, offset: number): Frame | undefined {
  if (offset + HEAD_BYTES > bytes.length) return undefined;
  const length = view.getUint32(offset, true);
  const head = view.getUint32(offset + 4, true);
  const kind = head & 0xff;
  // Kind 0 does not exist, so zeros are never a frame.
  if (kind === 0 || head >>> 8 !== headCheck(length, kind)) return undefined;
  const end = offset + HEAD_BYTES + length;
  if (end > bytes.length) return undefined;
  const payload = bytes.subarray(offset + HEAD_BYTES, end);
  if (crc32(payload) !== view.getUint32(offset + 8, true)) return undefined;
  return { kind, payload, offset };
}

/** The error JOURNAL_DAMAGED for bytes that this program cannot have written. */
export function damaged(
  segment: string,
  offset: number,
  what: string,
  hint = "Keep a copy of the folder and start with an empty one. The bot then begins without its positions (`touchline position set`), pauses and risk steps, reports the account's open orders and leaves them alone; `touchline order cancel-all` cancels them.",
): TouchlineError {
  return new TouchlineError("JOURNAL_DAMAGED", `Journal segment ${segment} ${what}.`, {
    context: { segment, offset },
    hint,
  });
}
