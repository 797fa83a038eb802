import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, crc32, zstdCompress, zstdCompressSync } from "node:zlib";
import { Gunzip, ZstdDecompress } from "minizlib";
import type { Compression } from "../ports/compression.ts";
import { piecesOf, unpackedBy } from "./unpacked.ts";
import { unzipOnly, zipEntry } from "./zip.ts";

/** Denser than the default, at a speed that does not matter to a recorder. */
const ZSTD_LEVEL = 9;
const GZIP: readonly number[] = [0x1f, 0x8b];
const ZSTD: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];
const ZIP: readonly number[] = [0x50, 0x4b, 0x03, 0x04];

const level = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
/** The checksum detects damage that the format's own structure does not. */
const checked = { ...level, [constants.ZSTD_c_checksumFlag]: 1 };
const compressLater = promisify(zstdCompress);

/** Node's zlib and crypto behind the port. */
export const nodeCompression: Compression = {
  compress(bytes) {
    return zstdCompressSync(bytes, { params: level });
  },

  compressInBackground: (bytes) => compressLater(bytes, { params: checked }),

  unpack(file, onCutOff) {
    const first = new Uint8Array(Math.min(4, file.size));
    file.read(first, 0);
    const pieces = piecesOf(file);
    if (startsWith(first, GZIP)) return unpackedBy(new Gunzip({}), pieces, onCutOff);
    if (startsWith(first, ZSTD)) return unpackedBy(new ZstdDecompress({}), pieces, onCutOff);
    return startsWith(first, ZIP) ? unzipOnly(file) : pieces;
  },

  nameInside(file) {
    const first = new Uint8Array(Math.min(4, file.size));
    file.read(first, 0);
    return startsWith(first, ZIP) ? zipEntry(file).name : undefined;
  },

  sha256(bytes) {
    return createHash("sha256").update(bytes).digest("hex");
  },

  crc32: (bytes) => crc32(bytes),
};

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}
