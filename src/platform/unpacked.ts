import type { Gunzip, InflateRaw, ZstdDecompress } from "minizlib";
import type { ReadFile } from "../ports/store.ts";
import { codeOf } from "./file-errors.ts";

/** Bytes of a file that are read at once. */
const PIECE_BYTES = 1 << 16;

/** A part of a file, piece by piece; each piece is valid until the next one is asked for. */
export function* piecesOf(file: ReadFile, from = 0, to = file.size): Generator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, to - from));
  for (let at = from; at < to; at += buffer.length) {
    const piece = buffer.subarray(0, Math.min(buffer.length, to - at));
    file.read(piece, at);
    yield piece;
  }
}

/**
 * What `unpacker` makes of the pieces, as far as it goes. Where the end is missing, `onCutOff` is called, or without it this throws; it
 * throws for damaged bytes. Node's own streams are asynchronous, and its synchronous functions hold the whole text in memory.
 */
export function* unpackedBy(
  unpacker: Gunzip | InflateRaw | ZstdDecompress,
  packed: Iterable<Uint8Array>,
  onCutOff?: () => void,
): Generator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let failure: Error | undefined;
  unpacker.on("data", (piece: Uint8Array) => ready.push(piece));
  unpacker.on("error", (error: unknown) => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  });
  try {
    for (const piece of packed) {
      unpacker.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
      yield* ready.splice(0);
      if (failure !== undefined) break;
    }
    if (failure === undefined) unpacker.end();
    yield* ready.splice(0);
  } finally {
    unpacker.close();
  }
  if (failure === undefined) return;
  if (codeOf(failure) !== "Z_BUF_ERROR" || onCutOff === undefined) throw failure;
  onCutOff();
}
