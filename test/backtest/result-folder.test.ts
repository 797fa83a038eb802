import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { TouchlineError } from "../../src/base/error.ts";
import { openOutput } from "../../src/cli/replay-output.ts";
import type { Store } from "../../src/ports/store.ts";
import { checkResultFolder, writeResult, writeText } from "../../src/backtest/result-folder.ts";
import { parquetTable, writeCsv } from "../../src/backtest/table-files.ts";
import { encodeParquet } from "../../src/platform/parquet.ts";
import { reportDocument } from "./report-rows.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const columns = {
  timeMs: "time",
  strategy: "text",
  price: "decimal",
  horizonMs: "integer",
  bps: "number",
} as const;
const rows = [
  {
    timeMs: 1_723_161_254_371,
    strategy: 'a "b", c\n<d>',
    price: "0.100000000000000001",
    horizonMs: 1_000,
    bps: -1.5,
  },
  { timeMs: 1_723_161_254_372, strategy: "ü", price: null, horizonMs: 5_000, bps: null },
];

const bytesOf = (bytes: Uint8Array): ArrayBuffer => {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
};

/** The files of a folder with their texts; folders in it are names without a text. */
const contentOf = (folder: string): Record<string, string | undefined> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(`${folder}/${entry.name}`, "utf8") : undefined,
    ]),
  );

describe("a table", () => {
  test("is CSV with exact decimals, quoted where it has to be", () => {
    const path = `${temporaryFolder()}/table.csv`;
    const file = io.store.openAppend(path);
    writeCsv(file, columns, rows);
    file.close();
    expect(readFileSync(path, "utf8")).toBe(
      'timeMs,strategy,price,horizonMs,bps\n1723161254371,"a ""b"", c\n<d>",0.100000000000000001,1000,-1.5\n1723161254372,ü,,5000,\n',
    );
  });

  test("is Parquet with doubles and exact text, and with timestamps", async () => {
    const file = bytesOf(parquetTable(encodeParquet, columns, rows));
    expect(await parquetReadObjects({ file })).toEqual([
      {
        timeMs: 1_723_161_254_371n,
        time: new Date(1_723_161_254_371),
        strategy: 'a "b", c\n<d>',
        price: 0.1,
        priceText: "0.100000000000000001",
        horizonMs: 1_000n,
        bps: -1.5,
      },
      {
        timeMs: 1_723_161_254_372n,
        time: new Date(1_723_161_254_372),
        strategy: "ü",
        price: null,
        priceText: null,
        horizonMs: 5_000n,
        bps: null,
      },
    ]);
  });

  test("without rows is Parquet, too", async () => {
    const file = bytesOf(parquetTable(encodeParquet, columns, []));
    expect(await parquetReadObjects({ file })).toEqual([]);
  });
});

describe("a result's folder", () => {
  test("may be missing, empty, or hold an earlier result, whole or interrupted", () => {
    const folder = temporaryFolder();
    const check = (): void => checkResultFolder(io, `${folder}/out`);
    expect(check).not.toThrow();
    mkdirSync(`${folder}/out`);
    expect(check).not.toThrow();
    writeFileSync(`${folder}/out/fills.csv`, "");
    writeFileSync(`${folder}/out/result.json`, "");
    expect(check).not.toThrow();
    writeFileSync(`${folder}/out/result.json`, '{"event":"result"}');
    writeFileSync(`${folder}/out/notes.txt`, "kept by the user");
    expect(check).not.toThrow();
  });

  test.each([
    { "thesis.txt": "" },
    { "thesis.txt": "", "result.json": '{"event":"other"}' },
    { "thesis.txt": "", "result.json": "no JSON" },
  ])("with other files %j is refused", (files) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
    expect(() => checkResultFolder(io, folder)).toThrow(
      expect.objectContaining({
        code: "OUT_NOT_EMPTY",
        message: expect.stringContaining("thesis"),
      }),
    );
    expect(readdirSync(folder)).toEqual(Object.keys(files).toSorted());
  });

  test("and its files are for their owner only", () => {
    const folder = `${temporaryFolder()}/new/out`;
    writeText(io, `${folder}/report.md`, "text");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(`${folder}/report.md`).mode & 0o777).toBe(0o600);
  });

  test("a text is written over a longer one, and never over a folder", () => {
    const folder = temporaryFolder();
    const path = `${folder}/report.md`;
    writeFileSync(path, "a longer text");
    chmodSync(path, 0o644);
    writeText(io, path, "text");
    expect(readFileSync(path, "utf8")).toBe("text");
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(() => writeText(io, folder, "text")).toThrow("not a plain file");
    expect(readdirSync(folder)).toEqual(["report.md"]);
  });

  test.each([0, 3, 9])(
    "an earlier result stays whole when file %i cannot be written",
    (failing) => {
      const folder = temporaryFolder();
      const files = {
        document: reportDocument(),
        tables: { fills: [], orders: [], equity: [], markouts: [] },
        reports: new Map([
          ["report.html", "page"],
          ["report.md", "text"],
        ]),
      };
      writeResult({ ...io, encodeParquet }, folder, files);
      const before = contentOf(folder);
      let opened = 0;
      const store: Store = {
        ...io.store,
        openReplacement(path) {
          const file = io.store.openReplacement(path);
          const isFull = opened === failing;
          opened += 1;
          if (!isFull) return file;
          const append = (): never => {
            throw new TouchlineError("WRITE_FAILED", "The disk is full.");
          };
          return { append, commit: () => file.commit(), discard: () => file.discard() };
        },
      };
      const later = { ...files, reports: new Map([["report.md", "later"]]) };
      expect(() => writeResult({ store, encodeParquet }, folder, later)).toThrow("disk is full");
      expect(contentOf(folder)).toEqual(before);
    },
  );
});

describe("the places of a result", () => {
  test("are left as they are until there is a result", async () => {
    const folder = temporaryFolder();
    writeFileSync(`${folder}/earlier.html`, "earlier");
    const out = `${folder}/new/deep/out`;
    for (const report of [
      `${folder}/new.html`,
      `${folder}/new/report.html`,
      `${folder}/earlier.html`,
    ]) {
      await openOutput(io, { out, report });
      expect(contentOf(folder)).toEqual({ "earlier.html": "earlier" });
    }
  });

  test("are refused before any work where nothing can be written", async () => {
    const folder = temporaryFolder();
    writeFileSync(`${folder}/file`, "");
    symlinkSync(`${folder}/nothing`, `${folder}/link`);
    for (const report of [folder, `${folder}/file/report.html`, `${folder}/link`]) {
      await expect(openOutput(io, { out: undefined, report })).rejects.toThrow(
        /EISDIR|EEXIST|link/,
      );
    }
    const out = `${folder}/file/out`;
    await expect(openOutput(io, { out, report: undefined })).rejects.toThrow("ENOTDIR");
    expect(readdirSync(folder)).toEqual(["file", "link"]);
  });
});
