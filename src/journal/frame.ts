import { crc32 } from "node:zlib";
import { TouchlineError } from "../base/error.ts";

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
  /** The kind of its record, 1 to 255; this version may not know it. */
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
  /** Byte after the last complete frame; less than the file's length when the tail is torn. */
  readonly end: number;
}

/**
 * The complete frames of a segment. An incomplete last frame is a torn tail, left by a crash during the write, and is left out. A
 * broken frame with a complete one after it is damage: throws JOURNAL_DAMAGED with the offset.
 */
export function scanSegment(bytes: Uint8Array, name: string): SegmentScan {
  const start = MAGIC.length;
  if (bytes.length < start) return { frames: [], end: 0 };
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    // A segment whose first write was lost in a power cut is empty, whatever its length.
    if (bytes.every((byte) => byte === 0)) return { frames: [], end: 0 };
    throw damaged(name, 0, "is not a journal of this program");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Frame[] = [];
  let at = start;
  while (at < bytes.length) {
    const frame = frameAt(bytes, view, at);
    if (frame === undefined) {
      for (let later = at + 1; later + HEAD_BYTES <= bytes.length; later += 1) {
        if (frameAt(bytes, view, later) !== undefined) {
          throw damaged(
            name,
            at,
            `is damaged at byte ${at}: complete entries follow at byte ${later}`,
          );
        }
      }
      break;
    }
    frames.push(frame);
    at += HEAD_BYTES + frame.payload.length;
  }
  return { frames, end: at };
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
  hint = "Keep a copy of the folder and start with an empty one. The bot then reports the account's open orders and leaves them alone; `touchline order cancel-all` cancels them.",
): TouchlineError {
  return new TouchlineError("JOURNAL_DAMAGED", `Journal segment ${segment} ${what}.`, {
    context: { segment, offset },
    hint,
  });
}

/** The error JOURNAL_DAMAGED for bytes that a later version wrote. */
export function tooNew(segment: string, offset: number, what: string): TouchlineError {
  return damaged(segment, offset, what, "Read it with the version of touchline that wrote it.");
}
