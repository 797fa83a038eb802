import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { checkResultFolder, writeText } from "../../src/backtest/result-folder.ts";
import { parquetTable, writeCsv } from "../../src/backtest/table-files.ts";
import { encodeParquet } from "../../src/platform/parquet.ts";
import { io, temporaryFolder } from "../recordings/shared-recordings.ts";

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
    expect(() => writeText(io, folder, "text")).toThrow("EISDIR");
    expect(readdirSync(folder)).toEqual(["report.md"]);
  });
});
