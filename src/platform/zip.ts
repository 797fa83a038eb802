import { crc32 } from "node:zlib";
import { InflateRaw } from "minizlib";
import type { ReadFile } from "../ports/store.ts";
import { piecesOf, unpackedBy } from "./unpacked.ts";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const COMMENT_MAX = 65_535;
/** One entry with its names and extra fields, and the beginning of a second one. */
const DIRECTORY_MAX = 4 * COMMENT_MAX;
const STORED = 0;
const DEFLATED = 8;
/** A number that does not fit its field stands in an extra field instead (Zip64). */
const ELSEWHERE = 0xffff_ffff;
const ZIP64 = 1;
const ENCRYPTED = 1;

/** Where the only file in a zip archive is, and what the archive says about it. */
interface ZipEntry {
  readonly name: string;
  readonly from: number;
  readonly size: number;
  readonly unpacked: number;
  readonly method: number;
  readonly crc: number;
}

/**
 * The content of the only file in a zip archive, in pieces. Throws for an archive that is damaged, encrypted or has another number of
 * files. The libraries that were tried read archives with wrong checksums.
 */
export function* unzipOnly(archive: ReadFile): Generator<Uint8Array> {
  const { from, size, unpacked, method, crc } = zipEntry(archive);
  const content = piecesOf(archive, from, from + size);
  let length = 0;
  let checksum = 0;
  for (const piece of method === STORED ? content : unpackedBy(new InflateRaw({}), content)) {
    length += piece.length;
    checksum = crc32(piece, checksum);
    if (length > unpacked) {
      throw new Error(
        `the file in the zip archive is damaged: it is larger than ${unpacked} bytes`,
      );
    }
    yield piece;
  }
  if (length !== unpacked || checksum !== crc) {
    throw new Error("the file in the zip archive is damaged");
  }
}

/** Throws for an archive that is damaged, encrypted or has another number of files. */
export function zipEntry(archive: ReadFile): ZipEntry {
  const end = tailOf(archive);
  const at = end.getUint32(endRecord(end) + 16, true);
  if (at > archive.size) throw new Error("the zip archive is damaged");
  const view = viewOf(archive, at, Math.min(archive.size, at + DIRECTORY_MAX));
  const [nameLength, extraLength] = [view.getUint16(28, true), view.getUint16(30, true)];
  const next = 46 + nameLength + extraLength + view.getUint16(32, true);
  if (view.getUint32(0, true) !== ENTRY || view.getUint32(next, true) === ENTRY) {
    throw new Error("the zip archive does not hold exactly one file");
  }
  const method = view.getUint16(10, true);
  if ((view.getUint16(8, true) & ENCRYPTED) !== 0) throw new Error("the zip archive is encrypted");
  if (method !== STORED && method !== DEFLATED) {
    throw new Error(`the zip archive uses compression method ${method}`);
  }
  const { unpacked, size, local } = placeOf(view, 46 + nameLength, extraLength);
  // The local header has a name and extra fields of its own lengths.
  const head = viewOf(archive, local, Math.min(archive.size, local + 30));
  const from = local + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  if (from + size > archive.size) throw new Error("the zip archive is cut off");
  const name = new TextDecoder().decode(new Uint8Array(view.buffer, 46, nameLength));
  return { name, from, size, unpacked, method, crc: view.getUint32(16, true) };
}

/** Sizes of an entry, unpacked and packed, and the offset of its local header. */
function placeOf(view: DataView, extra: number, extraLength: number) {
  const fields = [24, 20, 42].map((at) => view.getUint32(at, true));
  for (let at = extra; at + 4 <= extra + extraLength; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== ZIP64) continue;
    let from = at + 4;
    for (const [field, value] of fields.entries()) {
      if (value !== ELSEWHERE) continue;
      fields[field] = Number(view.getBigUint64(from, true));
      from += 8;
    }
  }
  const [unpacked = 0, size = 0, local = 0] = fields;
  return { unpacked, size, local };
}

function tailOf(archive: ReadFile): DataView {
  return viewOf(archive, Math.max(0, archive.size - END_BYTES - COMMENT_MAX), archive.size);
}

function viewOf(archive: ReadFile, from: number, to: number): DataView {
  const bytes = new Uint8Array(Math.max(0, to - from));
  archive.read(bytes, from);
  return new DataView(bytes.buffer);
}

function endRecord(view: DataView): number {
  for (let at = view.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new Error("the zip archive has no end record");
}
