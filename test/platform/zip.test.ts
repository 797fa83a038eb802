import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { unzipOnly } from "../../src/platform/zip.ts";
import { fileInMemory } from "../../src/recordings/columns/new-columns.ts";

const text = Buffer.from("60000,1,3,1,2,7\n".repeat(1_000));

interface Entry {
  readonly content: Buffer;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly unpacked: number;
  readonly isZip64: boolean;
  readonly files: number;
}

/** A zip archive of one file, with any of its fields changed. */
function zipped(change: Partial<Entry> = {}): Buffer {
  const content = deflateRawSync(text);
  const usual = { content, method: 8, flags: 0, crc: crc32(text), unpacked: text.length };
  const entry: Entry = { ...usual, isZip64: false, files: 1, ...change };
  const name = Buffer.from("bars.csv");
  const sizes = [entry.unpacked, entry.content.length];
  const extra = entry.isZip64 ? Buffer.alloc(20) : Buffer.alloc(0);
  if (entry.isZip64) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    for (const [at, size] of sizes.entries()) extra.writeBigUInt64LE(BigInt(size), 4 + 8 * at);
  }
  const [unpacked = 0, packed = 0] = entry.isZip64 ? [0xffff_ffff, 0xffff_ffff] : sizes;
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(entry.flags, 8);
  central.writeUInt16LE(entry.method, 10);
  central.writeUInt32LE(entry.crc, 16);
  central.writeUInt32LE(packed, 20);
  central.writeUInt32LE(unpacked, 24);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(extra.length, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const body = Buffer.concat([local, name, entry.content]);
  end.writeUInt32LE(body.length, 16);
  const directory = Buffer.concat([central, name, extra]);
  const entries = Array.from({ length: entry.files }, () => directory);
  return Buffer.concat([body, ...entries, end]);
}

const unzipped = (bytes: Buffer): string =>
  Array.from(unzipOnly(fileInMemory(bytes)), (piece) => Buffer.from(piece).toString()).join("");

describe("a zip archive of one file", () => {
  test.each([
    ["deflated", {}],
    ["stored", { content: text, method: 0 }],
    ["of the large format", { isZip64: true }],
  ])("is read: %s", (_, change) => {
    expect(unzipped(zipped(change))).toBe(text.toString());
  });

  test("of an empty file is read", () => {
    const empty = Buffer.alloc(0);
    const change = { crc: crc32(empty), unpacked: 0 };
    expect(unzipped(zipped({ ...change, content: empty, method: 0 }))).toBe("");
    expect(unzipped(zipped({ ...change, content: deflateRawSync(empty) }))).toBe("");
  });

  test.each([
    ["a wrong checksum", { crc: 1 }, "damaged"],
    ["fewer bytes than it says", { unpacked: text.length + 1 }, "damaged"],
    ["a stored size that is wrong", { content: text, method: 0, unpacked: 10 }, "damaged"],
    ["another method", { method: 12 }, "method 12"],
    ["encryption", { flags: 1 }, "encrypted"],
    ["two files", { files: 2 }, "exactly one file"],
  ])("with %s is refused", (_, change, message) => {
    expect(() => unzipped(zipped(change))).toThrow(message);
  });

  test("that hides its size is refused after the bytes that it admits", () => {
    const bomb = deflateRawSync(Buffer.alloc(64 << 20));
    expect(bomb.length).toBeLessThan(1 << 20);
    const change = { content: bomb, unpacked: 100 };
    expect(() => unzipped(zipped(change))).toThrow(/larger than 100 bytes/);
  });

  test("that is cut off anywhere is refused", () => {
    const whole = zipped();
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => unzipped(whole.subarray(0, length))).toThrow();
    }
  });
});
