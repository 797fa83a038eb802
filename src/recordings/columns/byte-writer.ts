const LOW_BITS = 2 ** 28;

const encoder = new TextEncoder();

/** Bytes that grow as they are written. Numbers are whole and below 2^53, least significant seven bits first. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #size = 0;

  /** The bytes written since the last `clear`; valid until the next write. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  clear(): void {
    this.#size = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#size] = value;
    this.#size += 1;
  }

  /** A whole number from 0 on. */
  whole(value: number): void {
    this.#reserve(8);
    let left = value;
    while (left >= LOW_BITS) {
      this.#put((left % 128) + 128);
      left = Math.floor(left / 128);
    }
    while (left >= 128) {
      this.#put((left & 127) + 128);
      left >>>= 7;
    }
    this.#put(left);
  }

  /** A whole number of either sign; small ones take few bytes. */
  signed(value: number): void {
    this.whole(zigzag(value));
  }

  /** A double, exactly. */
  double(value: number): void {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    this.append(new Uint8Array(view.buffer));
  }

  text(value: string): void {
    const bytes = encoder.encode(value);
    this.whole(bytes.length);
    this.append(bytes);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #put(byte: number): void {
    this.#bytes[this.#size] = byte;
    this.#size += 1;
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#size + count, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
  }
}

/** Maps whole numbers of either sign to those from 0 on: 0, -1, 1, -2, … */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
