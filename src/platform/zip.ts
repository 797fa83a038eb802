import { crc32, inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const COMMENT_MAX = 65_535;
const STORED = 0;
const DEFLATED = 8;
/** A number that does not fit its field stands in an extra field instead (Zip64). */
const ELSEWHERE = 0xffff_ffff;
const ZIP64 = 1;
const ENCRYPTED = 1;

/**
 * The content of the only file in a zip archive, of at most `maxOutputLength` bytes. Throws for an archive that is damaged, encrypted, larger
 * than that, or has another number of files. The libraries that were tried read archives with wrong checksums.
 */
export function unzipOnly(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = view.getUint32(endRecord(view) + 16, true);
  const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
  const next = at + 46 + nameLength + extraLength + view.getUint16(at + 32, true);
  if (view.getUint32(at, true) !== ENTRY || view.getUint32(next, true) === ENTRY) {
    throw new Error("the zip archive does not hold exactly one file");
  }
  const method = view.getUint16(at + 10, true);
  if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0)
    throw new Error("the zip archive is encrypted");
  const { unpacked, size, local } = placeOf(view, at, at + 46 + nameLength, extraLength);
  if (unpacked > maxOutputLength)
    throw new Error(`the file in the zip archive has ${unpacked} bytes`);
  // The local header has a name and extra fields of its own lengths.
  const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const content = bytes.subarray(from, from + size);
  if (content.length !== size) throw new Error("the zip archive is cut off");
  if (method !== STORED && method !== DEFLATED) {
    throw new Error(`the zip archive uses compression method ${method}`);
  }
  // Inflating ends with an error as soon as there is more than the archive says.
  const file =
    method === STORED
      ? content
      : inflateRawSync(content, { maxOutputLength: Math.max(1, unpacked) });
  if (file.length !== unpacked || crc32(file) !== view.getUint32(at + 16, true)) {
    throw new Error("the file in the zip archive is damaged");
  }
  return file;
}

/** Sizes of an entry, unpacked and packed, and the offset of its local header. */
function placeOf(view: DataView, entry: number, extra: number, extraLength: number) {
  const fields = [entry + 24, entry + 20, entry + 42].map((at) => view.getUint32(at, true));
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

function endRecord(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - COMMENT_MAX);
  for (let at = view.byteLength - END_BYTES; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new Error("the zip archive has no end record");
}
