const decoder = new TextDecoder();

/** Reads what ByteWriter wrote. Beyond the end it reads zeros: the caller has compared a checksum. */
export class ByteReader {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  /** Starts over with other bytes. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
  }

  byte(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  whole(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at++] ?? 0;
    let value = byte;
    if (byte >= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte << 7) - 128;
      if (byte >= 128) {
        byte = bytes[at++] ?? 0;
        value += (byte << 14) - (128 << 7);
        if (byte >= 128) {
          byte = bytes[at++] ?? 0;
          value += (byte << 21) - (128 << 14);
          let scale = 2 ** 28;
          while (byte >= 128) {
            value -= scale;
            byte = bytes[at++] ?? 0;
            value += byte * scale;
            scale *= 128;
          }
        }
      }
    }
    this.#at = at;
    return value;
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
