/** Compression and hashing of whole buffers, for recordings. */
export interface Compression {
  /** Compresses to one zstd frame. Frames may be concatenated in a file. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Like `compress`, on another thread and with a checksum. */
  compressInBackground(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * Decompresses gzip, zstd (any number of members or frames) or a zip archive of one file, recognized by their first bytes; other input is
   * returned unchanged. An incomplete last frame, as a killed writer leaves it, is cut off, and `onCutOff` is called. Throws when the bytes
   * are damaged.
   */
  decompress(bytes: Uint8Array, onCutOff?: () => void): Uint8Array;
  /** SHA-256 in lower-case hex. */
  sha256(bytes: Uint8Array): string;
  /** CRC-32, as zlib computes it. Fast; it finds damage, not forgery. */
  crc32(bytes: Uint8Array): number;
}
