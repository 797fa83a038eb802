const decoder = new TextDecoder();
/** The bit of each of four bytes that says that the number goes on in the next byte. */
const HIGH_BITS = 0x8080_8080 | 0;

/** Reads what ByteWriter wrote. Beyond the end it reads zeros: the caller has compared a checksum. */
export class ByteReader {
  #bytes: Uint8Array = new Uint8Array();
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** The last position from which four bytes can be read. */
  #lastWord = -1;
  #at = 0;

  /** Starts over with other bytes. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#lastWord = bytes.length - 4;
    this.#at = 0;
  }

  byte(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  /** Numbers of up to four bytes, which most are, are read without a branch for each byte, since the processor often mispredicts it. */
  whole(): number {
    const at = this.#at;
    const word = at <= this.#lastWord ? this.#view.getInt32(at, true) : -1;
    const ends = ~word & HIGH_BITS;
    if (ends === 0) return this.#long();
    const end = ends & -ends;
    this.#at = at + ((39 - Math.clz32(end)) >> 3);
    const bits = word & (end - 1);
    return (
      (bits & 0x7f) |
      ((bits >>> 1) & 0x3f80) |
      ((bits >>> 2) & 0x1f_c000) |
      ((bits >>> 3) & 0xfe0_0000)
    );
  }

  /** A number of any length. */
  #long(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  }

  signed(): number {
    return unzigzag(this.whole());
  }

  double(): number {
    const bytes = this.bytes(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  text(): string {
    const bytes = this.bytes(this.whole());
    // A decoder refuses shared memory.
    return decoder.decode(Uint8Array.from(bytes));
  }

  bytes(count: number): Uint8Array {
    const from = this.#at;
    this.#at += count;
    return this.#bytes.subarray(from, this.#at);
  }
}

/** The inverse of `zigzag`. */
export function unzigzag(value: number): number {
  if (value < 2 ** 31) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
