import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runLine } from "./run-line.ts";

const root = path.resolve(import.meta.dirname, "../..");

const bot = path.join(root, "test/data/replay-bot.yaml");

/** In this process, since starting one costs more than these replays. */
async function replay(...args: string[]) {
  const { code, out, err } = await runLine(["replay", bot, ...args]);
  return { status: code, stdout: out, stderr: err };
}

const until = ["--to", "2021-04-05T18:33:50Z"];
const data = ["--data", path.join(root, "config/recordings/zilusdt")];

test("--json prints only JSON lines, the result last", () => {
  const args = ["replay", "test/data/replay-bot.yaml", ...data, ...until, "--json"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, "bin/touchline.js"), ...args],
    { cwd: root, encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  const result: unknown = JSON.parse(lines[0] ?? "");
  expect(result).toMatchObject({
    event: "result",
    ordersLeft: 0,
    pnl: { total: expect.stringMatching(/^-?\d+(\.\d+)?$/) },
    markouts: {
      "1s": { midToMid: expect.any(Number), fillToMid: expect.any(Number) },
      "100ms": { midToMidError: expect.any(Number), fillToMidError: expect.any(Number) },
    },
    midAgeMs: { mean: expect.any(Number), max: expect.any(Number) },
    notModelled: [
      expect.stringContaining("nobody reacts"),
      expect.stringMatching(/% of the maker fills had nothing ahead/),
      expect.stringContaining("too few for a conclusion"),
    ],
    decisionsHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    seed: 7,
  });
});

test("without --json a table is printed", async () => {
  const { status, stdout } = await replay(...data, ...until);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Replay {2}\d.*\n {2}not modelled {2}nobody reacts/);
  expect(stdout).toMatch(/markouts, fill to mid +100ms -?[\d.]+ ±/);
  expect(stdout).toContain("PnL by source");
  // Amounts have the recording's symbols.
  expect(stdout).toMatch(/fees +[\d.]+ ZIL, [\d.]+ USDT\n|fees +[\d.]+ USDT, [\d.]+ ZIL\n/);
  expect(stdout).not.toContain("of token");
});

test("--out writes the result, its tables and nothing of the machine, and leaves the result line as it is", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-out-"));
  try {
    const plain = await replay(...data, "--json", ...until);
    const out = path.join(folder, "result");
    const { status, stdout, stderr } = await replay(...data, "--json", ...until, "--out", out);
    expect([status, stderr]).toEqual([0, ""]);
    const untimed = (line: string) => line.replace(/"wallMs":\d+,"levelChangesPerSecond":\d+/, "");
    expect(untimed(stdout)).toBe(untimed(plain.stdout));
    const tables = ["equity", "fills", "markouts", "orders"];
    const files = tables.flatMap((table) => [`${table}.csv`, `${table}.parquet`]);
    expect(readdirSync(out).toSorted()).toEqual(
      [...files, "report.html", "report.md", "result.json"].toSorted(),
    );
    const text = readFileSync(path.join(out, "result.json"), "utf8");
    const document: unknown = JSON.parse(text);
    expect(document).toMatchObject(JSON.parse(stdout));
    // Of a number, a duration in milliseconds and an amount.
    const defaults = { sizeFactor: 1, coolDown: 0, sizeStep: "0" };
    expect(document).toMatchObject({
      config: {
        strategies: [{ name: "zil-maker", plugin: "pure-market-making", seed: 7, defaults }],
      },
      recording: { markets: [{ market: "ZIL_USDT", recorded: "ZIL_USDT", symbol: "ZILUSDT" }] },
      versions: { node: process.version },
      warnings: [],
    });
    const page = readFileSync(path.join(out, "report.html"), "utf8");
    expect(page).toContain("Replay – Touchline");
    for (const written of [text, page]) expect(written).not.toContain(folder);
    const [header, first] = readFileSync(path.join(out, "fills.csv"), "utf8").split("\n");
    expect(header).toBe(
      "timeMs,strategy,market,key,side,price,quantity,fee,feeToken,liquidity,orderId,mid",
    );
    expect(first?.split(",")).toHaveLength(12);
    // The page alone, over the first one.
    const report = path.join(out, "report.html");
    expect((await replay(...data, ...until, "--report", report)).status).toBe(0);
    expect(readFileSync(report, "utf8")).toContain('"event":"result"');
    // Nothing is replayed for a place where no file can be.
    const nowhere = await replay(...data, "--report", folder);
    expect([nowhere.status, nowhere.stdout]).toEqual([1, ""]);
    expect(nowhere.stderr).toContain("is a folder");
    const inFile = await replay(...data, "--out", report);
    expect([inFile.status, inFile.stdout]).toEqual([1, ""]);
    // A second time over the first result, and never over something else.
    const again = await replay(...data, ...until, "--out", out);
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining(`Written to ${out}`)]);
    const other = await replay(...data, ...until, "--out", folder);
    expect([other.status, other.stdout]).toEqual([2, ""]);
    expect(other.stderr).toContain("holds no result of a replay (result");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  [[], "--data is missing"],
  [[...data, "--market", "ZIL"], "not of the form"],
  [[...data, "--market", "3_4=5_6"], "names no market of the strategies"],
  [[...data, "--set", "strategies.0.market=1_2"], "it holds ZIL_USDT (ZILUSDT)"],
])("%j: one sentence and exit 2", async (args, sentence) => {
  const { status, stdout, stderr } = await replay(...args);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(sentence);
});

test("a replay of nothing is exit 1", async () => {
  const { status, stderr } = await replay(...data, "--from", "2022-01-01T00:00:00Z");
  expect(status).toBe(1);
  expect(stderr).toContain("nothing to play");
});
