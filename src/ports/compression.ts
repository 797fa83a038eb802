import type { ReadFile } from "./store.ts";

/** Compression and hashing, for recordings. */
export interface Compression {
  /** Compresses to one zstd frame. Frames may be concatenated in a file. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Like `compress`, on another thread and with a checksum. */
  compressInBackground(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * The content of a file in pieces, each valid until the next one is asked for. Gzip, zstd (any number of members or frames) and a zip
   * archive of one file are unpacked, recognized by their first bytes. Where the end of gzip or zstd is missing, as a killed writer leaves
   * it, `onCutOff` is called after what is there, or without it this throws; it throws when the bytes are damaged.
   */
  unpack(file: ReadFile, onCutOff?: () => void): Iterable<Uint8Array>;
  /** Name of the file in a zip archive of one file, with its folders there; undefined for other files. */
  nameInside(file: ReadFile): string | undefined;
  /** SHA-256 in lower-case hex. */
  sha256(bytes: Uint8Array): string;
  /** CRC-32, as zlib computes it. Fast; it finds damage, not forgery. */
  crc32(bytes: Uint8Array): number;
}
