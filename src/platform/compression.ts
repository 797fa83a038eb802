import { createHash } from "node:crypto";
import { promisify } from "node:util";
import {
  constants,
  crc32,
  gunzipSync,
  zstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import type { Compression } from "../ports/compression.ts";
import { codeOf } from "./file-errors.ts";
import { unzipOnly } from "./zip.ts";

/** Denser than the default, at a speed that does not matter to a recorder. */
const ZSTD_LEVEL = 9;
/** Far above any file that Touchline writes; a file that claims more is an attack or a mistake. */
const OUTPUT_BYTES_MAX = 2 ** 31 - 1;

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

  decompress(bytes, onCutOff) {
    const maxOutputLength = OUTPUT_BYTES_MAX;
    if (startsWith(bytes, [0x1f, 0x8b])) {
      return unpacked(gunzipSync, bytes, constants.Z_SYNC_FLUSH, onCutOff);
    }
    if (startsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd])) {
      return unpacked(zstdDecompressSync, bytes, constants.ZSTD_e_flush, onCutOff);
    }
    if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return unzipOnly(bytes, maxOutputLength);
    return bytes;
  },

  sha256(bytes) {
    return createHash("sha256").update(bytes).digest("hex");
  },

  crc32: (bytes) => crc32(bytes),
};

/** Everything up to the end of the bytes; `cutOffFlush` makes zlib return what an incomplete end holds. */
function unpacked(
  unpack: typeof gunzipSync | typeof zstdDecompressSync,
  bytes: Uint8Array,
  cutOffFlush: number,
  onCutOff: (() => void) | undefined,
): Uint8Array {
  const maxOutputLength = OUTPUT_BYTES_MAX;
  try {
    return unpack(bytes, { maxOutputLength });
  } catch (thrown) {
    if (codeOf(thrown) !== "Z_BUF_ERROR") throw thrown;
  }
  const text = unpack(bytes, { finishFlush: cutOffFlush, maxOutputLength });
  onCutOff?.();
  return text;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}
