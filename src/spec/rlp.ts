import { err, ok, type Result } from "../base/result.ts";

/**
 * RLP (Ethereum Yellow Paper, appendix B), limited to lists of byte strings, as transactions need. Decoding is strict: every
 * value has exactly one encoding, and nothing may follow the list.
 */

/** Returns the fields of the list as views into `bytes`, or what is wrong, as a predicate without a subject. */
export function readFlatList(bytes: Uint8Array): Result<readonly Uint8Array[], string> {
  const first = bytes[0];
  if (first === undefined) return err("is empty");
  if (first < 0x80) return err("is a typed transaction, only legacy ones are taken");
  // One reused item, since a venue reads thousands of transactions a second.
  const item: Item = { isList: false, start: 0, end: 0 };
  const problem = readItem(bytes, 0, item);
  if (problem !== undefined) return err(problem);
  if (!item.isList) return err("is not an RLP list");
  if (item.end !== bytes.length) return err("has bytes after its end");
  const fields: Uint8Array[] = [];
  for (let at = item.start; at < bytes.length; at = item.end) {
    const wrong = readItem(bytes, at, item);
    if (wrong !== undefined) return err(wrong);
    if (item.isList) return err("has a list where a field belongs");
    fields.push(bytes.subarray(item.start, item.end));
  }
  return ok(fields);
}

interface Item {
  isList: boolean;
  /** Range of the payload, end excluded. */
  start: number;
  end: number;
}

/** Reads the item at `at` into `item`; returns what is wrong, if anything. */
function readItem(bytes: Uint8Array, at: number, item: Item): string | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    item.isList = false;
    item.start = at;
    item.end = at + 1;
    return undefined;
  }
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = short;
  if (short > 55) {
    const lengthBytes = short - 55;
    // Would be longer than any body the venue reads; this also keeps the arithmetic below 2^53.
    if (lengthBytes > 4) return "has a field of an impossible length";
    start += lengthBytes;
    if (start > bytes.length) return "ends in the middle of a field";
    length = 0;
    for (let index = at + 1; index < start; index += 1) length = length * 256 + (bytes[index] ?? 0);
    if (length <= 55 || bytes[at + 1] === 0) return "has a length that is not in its shortest form";
  }
  const end = start + length;
  if (end > bytes.length) return "ends in the middle of a field";
  if (!isList && length === 1 && (bytes[start] ?? 0) < 0x80) {
    return "has a byte that is not in its shortest form";
  }
  item.isList = isList;
  item.start = start;
  item.end = end;
  return undefined;
}

/** Length of the header of a payload of `length` bytes, which is a list or longer than one byte. */
export function headerLength(length: number): number {
  return length <= 55 ? 1 : 1 + byteCount(length);
}

/** Writes a header at `at` and returns the position after it. `base` is 0x80 for a string, 0xc0 for a list. */
export function writeHeader(
  into: Uint8Array,
  at: number,
  base: 0x80 | 0xc0,
  length: number,
): number {
  if (length <= 55) {
    into[at] = base + length;
    return at + 1;
  }
  const count = byteCount(length);
  into[at] = base + 55 + count;
  return writeDigits(into, at + 1, length, count);
}

/** Writes a whole number below 2^53 as a field and returns the position after it; 0 is the empty string. */
export function writeInteger(into: Uint8Array, at: number, value: number): number {
  if (value > 0 && value < 0x80) {
    into[at] = value;
    return at + 1;
  }
  const count = byteCount(value);
  into[at] = 0x80 + count;
  return writeDigits(into, at + 1, value, count);
}

/**
 * Writes the unsigned big-endian number in `bytes` from `start` to `end` as a field without leading zeros and returns the position after it.
 * By range, since V8 moves a small array out of its heap to make a view of it, which takes as long as a hash.
 */
export function writeBigEndian(
  into: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let from = start;
  while (from < end && bytes[from] === 0) from += 1;
  return writeRange(into, at, bytes, from, end);
}

/** Writes a byte string as a field and returns the position after it. */
export function writeBytes(into: Uint8Array, at: number, bytes: Uint8Array): number {
  return writeRange(into, at, bytes, 0, bytes.length);
}

function writeRange(
  into: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  end: number,
): number {
  const first = bytes[from] ?? 0;
  const isItself = end - from === 1 && first < 0x80;
  let to = isItself ? at : writeHeader(into, at, 0x80, end - from);
  for (let index = from; index < end; index += 1) into[to++] = bytes[index] ?? 0;
  return to;
}

function byteCount(value: number): number {
  let count = 0;
  for (let rest = value; rest >= 1; rest /= 256) count += 1;
  return count;
}

function writeDigits(into: Uint8Array, at: number, value: number, count: number): number {
  let rest = value;
  for (let index = at + count - 1; index >= at; index -= 1) {
    // A byte array keeps the lowest eight bits; a double's remainder by 256 would cost ten times as much.
    into[index] = rest;
    rest = Math.floor(rest / 256);
  }
  return at + count;
}

/** Decodes a field as a whole number up to 2^53 - 1, or returns what is wrong. */
export function integerOf(field: Uint8Array): Result<number, string> {
  if (field[0] === 0) return err("has leading zeros");
  if (field.length > 7) return err("is too large");
  let value = 0;
  for (const byte of field) value = value * 256 + byte;
  return Number.isSafeInteger(value) ? ok(value) : err("is too large");
}
