import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataReader, DataWriter } from "../../src/journal/data-codec.ts";
import { EntryDecoder, EntryEncoder } from "../../src/journal/entry-codec.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import { MAGIC, scanSegment } from "../../src/journal/frame.ts";
import { batchEntries } from "./arbitrary.ts";
import { codePoint } from "../support/code-point.ts";
import { runs } from "../support/soak.ts";

function roundTrip(value: unknown): unknown {
  const writer = new DataWriter();
  writer.value(value);
  const reader = new DataReader();
  reader.begin(writer.written.slice());
  const back = reader.value();
  expect(reader.isAtEnd).toBe(true);
  return back;
}

function segmentOf(entries: readonly BatchEntry[]): Uint8Array {
  const encoder = new EntryEncoder();
  const parts: Uint8Array[] = [MAGIC];
  for (const entry of entries) parts.push(encoder.encode({ type: "batch", entry }).slice());
  return new Uint8Array(Buffer.concat(parts));
}

/** A segment whose last record says that the ones before it are durable. */
function durable(segment: Uint8Array): Uint8Array {
  const mark = new EntryEncoder().encode({ type: "synced", bytes: segment.length });
  return new Uint8Array(Buffer.concat([segment, mark]));
}

describe("data codec", () => {
  it("gives back any plain data, bit for bit", () => {
    const leaf = fc.oneof(
      fc.double(),
      fc.maxSafeInteger(),
      fc.integer(),
      fc.string({ unit: codePoint, maxLength: 600 }),
      fc.bigInt(),
      fc.boolean(),
      fc.constantFrom(
        null,
        undefined,
        -0,
        Number.NaN,
        191,
        192,
        -1,
        2 ** 31,
        -(2 ** 31),
        2n ** 63n,
        -(2n ** 63n),
      ),
      fc.array(fc.double()).map((values) => Float64Array.from(values)),
      fc.uint8Array(),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("tree"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(roundTrip(value)).toStrictEqual(value);
      }),
      runs(500),
    );
  });

  it("refuses class instances and functions, which it could not restore", () => {
    expect(() => roundTrip(new Date())).toThrow("plain data");
    expect(() => roundTrip(() => 1)).toThrow("plain data");
  });

  it("handles more names than it can number", () => {
    const many = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`name ${at}`, at]));
    expect(roundTrip([many, many])).toStrictEqual([many, many]);
  });
});

describe("entries", () => {
  it("are read back as they were written, for any content", () => {
    fc.assert(
      fc.property(fc.array(batchEntries, { minLength: 1, maxLength: 5 }), (entries) => {
        const { frames } = scanSegment(segmentOf(entries), "s");
        const decoder = new EntryDecoder("s");
        const back = frames.map((frame) => decoder.decode(frame));
        expect(back).toStrictEqual(entries.map((entry) => ({ type: "batch", entry })));
      }),
      runs(200),
    );
  });

  it("survive a tail torn at any byte, except the last entry", () => {
    const entries = fc.sample(batchEntries, { numRuns: 3, seed: 7 });
    const bytes = segmentOf(entries);
    const whole = scanSegment(bytes, "s").frames;
    for (let length = 0; length <= bytes.length; length += 1) {
      const { frames, end } = scanSegment(bytes.subarray(0, length), "s");
      const expected = whole.filter((frame) => frame.offset + 12 + frame.payload.length <= length);
      expect(frames.length).toBe(expected.length);
      expect(end).toBeLessThanOrEqual(length);
      // The same after a power cut that left zeros in place of the tail.
      const zeroed = new Uint8Array(bytes.length);
      zeroed.set(bytes.subarray(0, length));
      if (length >= MAGIC.length || length === 0) {
        // The bytes that were cut off may have been zeros already.
        const same = whole.filter((frame) => {
          const frameEnd = frame.offset + 12 + frame.payload.length;
          return bytes.subarray(0, frameEnd).every((byte, at) => byte === zeroed[at]);
        });
        expect(scanSegment(zeroed, "s").frames.length).toBe(same.length);
      }
    }
  });

  it("report a flipped bit in durable entries as damage with its offset, and one in the last entry as a torn tail", () => {
    const entries = fc.sample(batchEntries, { numRuns: 3, seed: 11 });
    const bytes = durable(segmentOf(entries));
    const { frames } = scanSegment(bytes, "s");
    const last = frames.at(-1)?.offset ?? 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      if (at >= last) {
        expect(scanSegment(flipped, "s").end).toBe(last);
      } else {
        const hit = frames.findLast((frame) => frame.offset <= at)?.offset ?? 0;
        expect(() => scanSegment(flipped, "s"), `byte ${at}`).toThrowError(
          expect.objectContaining({
            code: "JOURNAL_DAMAGED",
            context: { segment: "s", offset: hit },
          }),
        );
      }
    }
  });
});
