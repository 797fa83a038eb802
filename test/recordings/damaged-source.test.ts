import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { importRecording } from "../../src/recordings/import.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const header = Buffer.from("PK\x03\x04", "latin1");
const name = "btcusd-minute-20180404_trade.zip";
const rows = Buffer.from("0,1,1,1,1,1\n60000,1,1,1,1,1\n");
const broken = gzipSync("0,1,1,1,1,1\n".repeat(1_000));
broken[12] = 255 - (broken[12] ?? 0);

test.each([
  ["a zip archive without its end", Buffer.concat([header, Buffer.alloc(200, 7)])],
  ["a zip archive of four bytes", header],
  ["a zip archive whose directory is elsewhere", endRecordAlone()],
  ["a gzip file with a wrong byte", broken],
  ["a gzip file whose end is missing after a whole row", gzipSync(rows).subarray(0, -4)],
  ["a zstd file whose end is missing", zstdCompressSync(rows).subarray(0, -1)],
])("an import of %s names the file and leaves no folder", (_, bytes) => {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  const out = path.join(folder, "out");
  const run = () => importRecording(io, { format: "lean", files: [file], out });
  expect(run).toThrow(
    expect.objectContaining({
      code: "IMPORT_BROKEN",
      message: expect.stringContaining(`${name} cannot be unpacked: `),
    }),
  );
  expect(io.store.list(out)).toEqual([]);
});

/** An archive that ends properly, and whose list of files would begin behind its end. */
function endRecordAlone(): Buffer {
  const bytes = Buffer.alloc(64);
  header.copy(bytes);
  bytes.writeUInt32LE(0x06054b50, 42);
  bytes.writeUInt32LE(5_000, 42 + 16);
  return bytes;
}
