/** Compression and digests of whole buffers, as recordings need them. */
export interface Compression {
  /** One zstd frame; frames may stand one behind the other in a file. */
  compress(bytes: Uint8Array): Uint8Array;
  /**
   * Undoes gzip and zstd (told apart by their first bytes, any number of members or frames) and gives back anything else
   * as it is. A torn end, as a killed writer leaves it, gives what is whole before it; throws when the bytes are damaged.
   */
  decompress(bytes: Uint8Array): Uint8Array;
  /** SHA-256 in lower-case hex. */
  sha256(bytes: Uint8Array): string;
}
