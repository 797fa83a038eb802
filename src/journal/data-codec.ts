import { assert } from "../base/assert.ts";

/**
 * Plain data as compact, lossless bytes: null, undefined, booleans, numbers (including −0 and NaN), bigints, text, arrays, objects,
 * Float64Array and Uint8Array. A field's name is written once per stream and replaced by a number afterwards, so writer and reader
 * have to `reset` at the same places.
 */
const TAG = {
  null: 0,
  undefined: 1,
  false: 2,
  true: 3,
  int32: 4,
  double: 5,
  bigint: 6,
  /** Up to 255 ASCII characters. */
  ascii: 7,
  utf8: 8,
  array: 9,
  object: 10,
  doubles: 11,
  bytes: 12,
} as const;
/** A whole number from 0 to 191 is one byte: SMALL plus the number. */
const SMALL = 64;
const SMALL_MAX = 255 - SMALL;

/** At most this many names get a number; further ones are written in full each time. */
const NAMES_MAX = 4096;
const NAME_WRITTEN = 0xffff;
const NAME_NEW = 0xfffe;

/** Most bytes of a message, far more than a bot ever writes at once. */
const LENGTH_MAX = 2 ** 28;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Writes value after value into one growing buffer. */
export class DataWriter {
  #bytes = new Uint8Array(16 * 1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  readonly #names = new Map<string, number>();

  /** Bytes written so far. */
  get length(): number {
    return this.#at;
  }

  /** The bytes written so far: a view that the next write overwrites. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  get view(): DataView {
    return this.#view;
  }

  /** Starts a new message, leaving `room` bytes at its start for the caller. */
  begin(room: number): void {
    this.#at = room;
  }

  /** Forgets the numbered names, so that the next messages can be read without the earlier ones. */
  reset(): void {
    this.#names.clear();
  }

  value(value: unknown): void {
    switch (typeof value) {
      case "number":
        this.#number(value);
        return;
      case "string":
        this.#text(value);
        return;
      case "object":
        this.#object(value);
        return;
      case "boolean":
        this.#tag(value ? TAG.true : TAG.false);
        return;
      case "undefined":
        this.#tag(TAG.undefined);
        return;
      case "bigint":
        this.#bigint(value);
        return;
      default:
        assert(false, `plain data, not a ${typeof value}`);
    }
  }

  #number(value: number): void {
    this.#ensure(9);
    const whole = value | 0;
    if (whole === value && (value !== 0 || Object.is(value, 0))) {
      if (whole >= 0 && whole <= SMALL_MAX) {
        this.#bytes[this.#at++] = SMALL + whole;
        return;
      }
      this.#bytes[this.#at] = TAG.int32;
      this.#view.setInt32(this.#at + 1, whole, true);
      this.#at += 5;
      return;
    }
    this.#bytes[this.#at] = TAG.double;
    this.#view.setFloat64(this.#at + 1, value, true);
    this.#at += 9;
  }

  /** Two's complement in as few 64-bit words as possible. */
  #bigint(value: bigint): void {
    let words = 1;
    while (BigInt.asIntN(64 * words, value) !== value) words += 1;
    assert(words <= 255, "a bigint of at most 255 words");
    this.#ensure(2 + 8 * words);
    this.#bytes[this.#at] = TAG.bigint;
    this.#bytes[this.#at + 1] = words;
    this.#at += 2;
    let rest = value;
    for (let word = 0; word < words; word += 1) {
      this.#view.setBigUint64(this.#at, BigInt.asUintN(64, rest), true);
      this.#at += 8;
      rest >>= 64n;
    }
  }

  #text(value: string): void {
    const { length } = value;
    this.#ensure(5 + 3 * length);
    const bytes = this.#bytes;
    const start = this.#at;
    if (length <= 255) {
      let at = start + 2;
      let index = 0;
      for (; index < length; index += 1) {
        const code = value.charCodeAt(index);
        if (code > 127) break;
        bytes[at++] = code;
      }
      if (index === length) {
        bytes[start] = TAG.ascii;
        bytes[start + 1] = length;
        this.#at = at;
        return;
      }
    }
    const { read, written } = encoder.encodeInto(value, bytes.subarray(start + 5));
    assert(read === length, "the whole text fits");
    bytes[start] = TAG.utf8;
    this.#view.setUint32(start + 1, written, true);
    this.#at = start + 5 + written;
  }

  #object(value: object | null): void {
    if (value === null) this.#tag(TAG.null);
    else if (Array.isArray(value)) this.#array(value);
    else if (value instanceof Float64Array) this.#doubles(value);
    else if (value instanceof Uint8Array) this.#raw(value);
    else this.#fields(value as Readonly<Record<string, unknown>>);
  }

  #array(values: readonly unknown[]): void {
    this.#head(TAG.array, values.length);
    for (const value of values) this.value(value);
  }

  #doubles(values: Float64Array): void {
    this.#head(TAG.doubles, values.length);
    this.#ensure(8 * values.length);
    const view = this.#view;
    let at = this.#at;
    for (let index = 0; index < values.length; index += 1) {
      view.setFloat64(at, values[index] ?? 0, true);
      at += 8;
    }
    this.#at = at;
  }

  #raw(bytes: Uint8Array): void {
    this.#head(TAG.bytes, bytes.length);
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #fields(value: Readonly<Record<string, unknown>>): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    assert(
      prototype === Object.prototype || prototype === null,
      "plain data, not a class instance",
    );
    this.#ensure(3);
    const start = this.#at;
    this.#at += 3;
    // With `for in`, V8 optimizes this loop for the shapes seen so far and deoptimizes it at each new one, without end.
    const names = Object.keys(value);
    assert(names.length <= 0xffff, "an object with at most 65535 fields");
    for (const name of names) {
      this.#name(name);
      this.value(value[name]);
    }
    this.#bytes[start] = TAG.object;
    this.#view.setUint16(start + 1, names.length, true);
  }

  #name(name: string): void {
    this.#ensure(2);
    const known = this.#names.get(name);
    if (known !== undefined) {
      this.#view.setUint16(this.#at, known, true);
      this.#at += 2;
      return;
    }
    const isFull = this.#names.size >= NAMES_MAX;
    if (!isFull) this.#names.set(name, this.#names.size);
    this.#view.setUint16(this.#at, isFull ? NAME_WRITTEN : NAME_NEW, true);
    this.#at += 2;
    this.#text(name);
  }

  #head(tag: number, length: number): void {
    this.#ensure(5);
    this.#bytes[this.#at] = tag;
    this.#view.setUint32(this.#at + 1, length, true);
    this.#at += 5;
  }

  #tag(tag: number): void {
    this.#ensure(1);
    this.#bytes[this.#at++] = tag;
  }

  #ensure(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    assert(needed <= LENGTH_MAX, "a message below 256 MiB");
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Reads a DataWriter's messages in the order of writing. Throws RangeError on invalid bytes. */
export class DataReader {
  #bytes: Uint8Array = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  readonly #names: string[] = [];

  /** Starts reading another message. */
  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
  }

  reset(): void {
    this.#names.length = 0;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(): unknown {
    const tag = this.#view.getUint8(this.#at);
    this.#at += 1;
    if (tag >= SMALL) return tag - SMALL;
    switch (tag) {
      case TAG.null:
        return null;
      case TAG.undefined:
        return undefined;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.int32:
        this.#at += 4;
        return this.#view.getInt32(this.#at - 4, true);
      case TAG.double:
        this.#at += 8;
        return this.#view.getFloat64(this.#at - 8, true);
      case TAG.bigint:
        return this.#bigint();
      case TAG.ascii:
      case TAG.utf8:
        return this.#text(tag);
      case TAG.array:
        return Array.from({ length: this.#length(1) }, () => this.value());
      case TAG.object:
        return this.#fields();
      case TAG.doubles:
        return this.#doubles();
      case TAG.bytes:
        return this.#take(this.#length(1)).slice();
      default:
        throw new RangeError(`unknown tag ${tag}`);
    }
  }

  #bigint(): bigint {
    const words = this.#view.getUint8(this.#at);
    this.#at += 1;
    let value = 0n;
    for (let word = 0; word < words; word += 1) {
      value |= this.#view.getBigUint64(this.#at, true) << BigInt(64 * word);
      this.#at += 8;
    }
    return BigInt.asIntN(64 * words, value);
  }

  #text(tag: number): string {
    if (tag === TAG.utf8) return decoder.decode(this.#take(this.#length(1)));
    const length = this.#view.getUint8(this.#at);
    this.#at += 1;
    return decoder.decode(this.#take(length));
  }

  #doubles(): Float64Array {
    const values = new Float64Array(this.#length(8));
    for (let index = 0; index < values.length; index += 1) {
      values[index] = this.#view.getFloat64(this.#at, true);
      this.#at += 8;
    }
    return values;
  }

  #fields(): Record<string, unknown> {
    const count = this.#view.getUint16(this.#at, true);
    this.#at += 2;
    const value: Record<string, unknown> = {};
    for (let field = 0; field < count; field += 1) {
      const name = this.#name();
      const content = this.value();
      // Defines an own field even under this name, as JSON.parse does.
      if (name === "__proto__")
        Object.defineProperty(value, name, {
          value: content,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      else value[name] = content;
    }
    return value;
  }

  #name(): string {
    const index = this.#view.getUint16(this.#at, true);
    this.#at += 2;
    if (index !== NAME_NEW && index !== NAME_WRITTEN) {
      const known = this.#names[index];
      if (known === undefined) throw new RangeError(`unknown name ${index}`);
      return known;
    }
    const tag = this.#view.getUint8(this.#at);
    this.#at += 1;
    const name = this.#text(tag);
    if (index === NAME_NEW) this.#names.push(name);
    return name;
  }

  /** Reads a count of items of at least `size` bytes each. */
  #length(size: number): number {
    const length = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    if (length * size > this.#bytes.length - this.#at)
      throw new RangeError("longer than the message");
    return length;
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new RangeError("longer than the message");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
