import { z } from "zod";
import type { Compression } from "../../ports/compression.ts";
import type { ReadFile } from "../../ports/store.ts";
import type { WrittenBlock } from "./block-writer.ts";

/** First bytes of a file; they change with the format, so that a file of another version is built again. */
const MAGIC = new TextEncoder().encode("TLCOLS02");
/** After the footer: its CRC-32 and its length, four bytes each, and the magic again. */
const TRAILER_BYTES = 8 + MAGIC.length;

const whole = z.number().int().nonnegative();

const footer = z.object({
  marketId: z.string(),
  /** The event files and the state in which they were read. */
  texts: z.array(
    z.object({
      name: z.string(),
      size: whole,
      changed: z.string(),
      sha256: z.string(),
      /** Its end is missing. */
      isTorn: z.boolean().optional(),
    }),
  ),
  /** The manifest's `ids` of the market, which decide where a gap is; absent where it has none. */
  ids: z.enum(["made", "sparse"]).optional(),
  /** Time of receipt of the last event, Unix milliseconds; 0 without events. */
  endMs: z.number(),
  levels: whole,
  /** What the text has of the market, without marks. */
  text: z.object({
    /** First and last time of receipt, Unix milliseconds; 0 without rows. */
    fromMs: z.number(),
    toMs: z.number(),
    /** Changes, trades and candles. */
    rows: whole,
    /** Those of them that have no part in the synced events. */
    leftOut: z.number().int(),
  }),
  /** Length and CRC-32 of each block; the first one begins after the magic. */
  blocks: z.array(z.tuple([whole, whole])),
});

/** What a file of columns says about itself, at its end. */
export type ColumnFooter = z.output<typeof footer>;
export type TextState = ColumnFooter["texts"][number];
/** What a file of columns was compiled from. */
export type ColumnSource = Pick<ColumnFooter, "marketId" | "texts" | "ids" | "text">;

/** Writes a file of columns: magic, blocks, footer, trailer. */
export class ColumnFileWriter {
  readonly #append: (bytes: Uint8Array) => void;
  readonly #compression: Compression;
  readonly #blocks: ColumnFooter["blocks"] = [];
  #endMs = 0;
  #levels = 0;

  constructor(append: (bytes: Uint8Array) => void, compression: Compression) {
    this.#append = append;
    this.#compression = compression;
    append(MAGIC);
  }

  block({ bytes, endMs, levels }: WrittenBlock): void {
    this.#append(bytes);
    this.#endMs = endMs;
    this.#levels += levels;
    this.#blocks.push([bytes.length, this.#compression.crc32(bytes)]);
  }

  finish(source: ColumnSource): void {
    const text = JSON.stringify({
      ...source,
      endMs: this.#endMs,
      levels: this.#levels,
      blocks: this.#blocks,
    } satisfies z.input<typeof footer>);
    const bytes = new TextEncoder().encode(text);
    const trailer = new DataView(new ArrayBuffer(8));
    trailer.setUint32(0, this.#compression.crc32(bytes), true);
    trailer.setUint32(4, bytes.length, true);
    this.#append(bytes);
    this.#append(new Uint8Array(trailer.buffer));
    this.#append(MAGIC);
  }
}

/**
 * Reads the footer, and compares the checksums of all bytes. Undefined when the file is damaged, incomplete or of another version of
 * the format.
 */
export function readFooter(file: ReadFile, compression: Compression): ColumnFooter | undefined {
  const read = (at: number, size: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    file.read(bytes, at);
    return bytes;
  };
  if (file.size < MAGIC.length + TRAILER_BYTES || !isMagic(read(0, MAGIC.length))) return undefined;
  const trailer = read(file.size - TRAILER_BYTES, TRAILER_BYTES);
  if (!isMagic(trailer.subarray(8))) return undefined;
  const view = new DataView(trailer.buffer);
  const length = view.getUint32(4, true);
  const at = file.size - TRAILER_BYTES - length;
  if (at < MAGIC.length) return undefined;
  const bytes = read(at, length);
  if (compression.crc32(bytes) !== view.getUint32(0, true)) return undefined;
  const parsed = footer.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!parsed.success) return undefined;
  const blockBytes = parsed.data.blocks.reduce((total, [size]) => total + size, 0);
  if (blockBytes !== at - MAGIC.length) return undefined;
  const buffer = new Uint8Array(longestBlock(parsed.data));
  let blockAt = MAGIC.length;
  for (const [size, crc] of parsed.data.blocks) {
    const block = buffer.subarray(0, size);
    file.read(block, blockAt);
    if (compression.crc32(block) !== crc) return undefined;
    blockAt += size;
  }
  return parsed.data;
}

/** Bytes of the longest block. */
export function longestBlock({ blocks }: ColumnFooter): number {
  return blocks.reduce((longest, [size]) => Math.max(longest, size), 0);
}

/** Where each block begins. */
export function blockOffsets({ blocks }: ColumnFooter): readonly number[] {
  let at = MAGIC.length;
  return blocks.map(([size]) => {
    at += size;
    return at - size;
  });
}

function isMagic(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}
