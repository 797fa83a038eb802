import { mkdtempSync, readdirSync, rmSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barText, withProgress } from "../../src/cli/progress.ts";
import { Terminal } from "../../src/cli/terminal.ts";
import type { Steps } from "../../src/recordings/steps.ts";
import { runLine } from "./run-line.ts";

const sample = fileURLToPath(new URL("../data/cryptofeed-zilusdt.txt.gz", import.meta.url));
let folder = "";
const at = (name: string): string => path.join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-recording-commands-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an import that keeps almost nothing prints its defects, and leaves no recording", async () => {
  const rows = Array.from({ length: 6 }, (_, n) => `x,ETHUSDC,1735689600,1735689600,${n},up,1,1`);
  const head = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
  writeFileSync(at("sides.csv"), [head, ...rows].join("\n"));
  const refused = await runLine(["import", "tardis", at("sides.csv"), "--out", at("no"), "--json"]);
  expect(refused.code).toBe(1);
  expect(refused.events).toHaveLength(7);
  expect(refused.events[0]).toMatchObject({ event: "import.defect", what: "badSides", line: 2 });
  expect(refused.events[6]).toMatchObject({ event: "error", code: "IMPORT_KEEPS_NOTHING" });
  expect(refused.err).toContain('sides.csv, line 7: bad side: the taker\'s side "up" is neither');
  expect(readdirSync(folder)).not.toContain("no");
});

test("import, info, check, cut, merge and export print their JSON lines", async () => {
  const imported = await runLine(["import", "cryptofeed", sample, "--out", at("zil"), "--json"]);
  expect(imported).toMatchObject({ code: 0, err: "" });
  expect(imported.events).toMatchObject([
    { event: "import", out: at("zil"), defects: { gaps: 0, badPrices: 0 }, defectsOmitted: 0 },
  ]);
  const info = await runLine(["recording", "info", at("zil"), "--json"]);
  expect(info.events).toMatchObject([
    { event: "recording.info", markets: [{ market: "ZIL_USDT", depthEvents: 120, books: 1 }] },
  ]);
  const shown = await runLine(["recording", "info", at("zil")]);
  expect(shown.out).toMatch(/prices +tick +lot /);
  expect(shown.out).toMatch(/as recorded +0\.00001 +0\.1 /);
  const [{ markets }] = info.events as [{ markets: [{ from: number; to: number }] }];
  const middle = String(Math.floor((markets[0].from + markets[0].to) / 2));
  const cuts = [
    ["recording", "cut", at("zil"), "--from", middle, "--out", at("late"), "--json"],
    ["recording", "cut", at("zil"), "--to", middle, "--out", at("early"), "--json"],
  ];
  for (const cut of cuts) {
    expect((await runLine(cut)).events).toMatchObject([{ event: "recording.cut" }]);
  }
  const dirs = [at("late"), at("early")];
  const merged = await runLine(["recording", "merge", ...dirs, "--out", at("both"), "--json"]);
  expect(merged.events).toMatchObject([{ event: "recording.merge", recordings: 2 }]);
  const checks = await Promise.all(
    ["zil", "both"].map((name) => runLine(["recording", "check", at(name), "--json"])),
  );
  const [whole, both] = checks.map(({ events }) => events[0]);
  expect(both?.["full"]).toBe(whole?.["full"]);
  const exported = await runLine(["recording", "export", at("zil"), "--out", at("csv"), "--json"]);
  expect(exported.events).toMatchObject([
    { event: "recording.export", files: [{ path: expect.stringContaining("incremental") }, {}] },
  ]);
  expect(readdirSync(at("csv"))).toHaveLength(2);
  for (const [to, count] of [
    ["parquet", 3],
    ["ndjson", 1],
  ] as const) {
    const line = ["recording", "export", at("zil"), "--to", to, "--out", at(to), "--json"];
    expect((await runLine(line)).events).toMatchObject([{ event: "recording.export" }]);
    expect(readdirSync(at(to))).toHaveLength(count);
  }
});

test("a recording whose last line is torn is reported as such", async () => {
  await runLine(["import", "cryptofeed", sample, "--out", at("torn"), "--json"]);
  const whole = await runLine(["recording", "check", at("torn"), "--json"]);
  expect(whole.events.filter(({ event }) => event === "recording.torn")).toEqual([]);
  writeFileSync(path.join(at("torn"), "events-999999.ndjson"), '{"half":');
  const torn = await runLine(["recording", "check", at("torn"), "--json"]);
  expect(torn.code).toBe(0);
  expect(torn.events.at(-1)).toEqual({
    event: "recording.torn",
    file: "events-999999.ndjson",
    line: 1,
    characters: 8,
  });
  const told = await runLine(["recording", "check", at("torn")]);
  expect(told.err).toContain("events-999999.ndjson ends in the middle of line 1");
});

test("a recording of which no whole block of text is left is reported as cut off", async () => {
  await runLine(["import", "cryptofeed", sample, "--out", at("cut-off"), "--json"]);
  const file = path.join(at("cut-off"), "events-0001.ndjson.zst");
  writeFileSync(file, readFileSync(file).subarray(0, 100));
  const told = await runLine(["recording", "check", at("cut-off")]);
  expect(told.err).toContain(
    "events-0001.ndjson.zst is cut off after 0 lines: what followed them is missing",
  );
});

test("a defect is reported with file and line, in JSON and in text", async () => {
  const rows = [
    "TimestampOfReceive,EventTime,Symbol,FirstUpdateId,FinalUpdateId,IsAsk,Price,Quantity",
    ...Array.from({ length: 30 }, (_, row) => {
      const us = 1_741_046_400_000_000 + row;
      return `${us},${us},TRXUSDT,${row * 2 + 1},${row * 2 + 1},0,0.23,5`;
    }),
  ];
  writeFileSync(at("gaps.csv"), rows.join("\n"));
  const people = await runLine(["import", "binance-csv", at("gaps.csv"), "--out", at("gaps")]);
  const warned = people.err.trim().split("\n");
  expect(warned).toHaveLength(21);
  expect(warned[0]).toBe("warning: gaps.csv, line 3: gap: depth id 2 missing");
  expect(warned.at(-1)).toBe("warning: and 9 more");
  const args = ["import", "binance-csv", at("gaps.csv"), "--out", at("again"), "--json"];
  const { events } = await runLine(args);
  expect(events).toHaveLength(30);
  expect(events[0]).toEqual({
    event: "import.defect",
    what: "gaps",
    market: "TRX_USDT",
    file: "gaps.csv",
    line: 3,
    detail: "depth id 2 missing",
  });
  expect(events.at(-1)).toMatchObject({ event: "import", defects: { gaps: 29 } });
  const checked = await runLine(["recording", "check", at("gaps")]);
  expect(checked.out).toContain("TRX_USDT  gaps.csv, line 3: gap: depth id 2 missing");
});

test("an import whose depth is sparse says what to do where trades went on without it", async () => {
  const at15 = (row: number) => 1_700_000_000_000_000 + row * 15_000_000;
  const start = (us: number) => `x,BTCUSDT,${us},${us}`;
  const columns = "exchange,symbol,timestamp,local_timestamp";
  const depth = [0, 1, 2].map((row) => `${start(at15(row))},${row === 0},bid,${100 + row},1`);
  const trades = [1, 13, 16, 28].map(
    (s, id) => `${start(at15(0) + s * 1_000_000)},${id},buy,110,1`,
  );
  const [head, tail] = ["is_snapshot,side,price,amount", "id,side,price,amount"];
  writeFileSync(at("sparse.csv"), [`${columns},${head}`, ...depth].join("\n"));
  writeFileSync(at("sparse-trades.csv"), [`${columns},${tail}`, ...trades].join("\n"));
  const args = ["import", "tardis", at("sparse.csv"), at("sparse-trades.csv"), "--out"];
  const told = await runLine([...args, at("sparse")]);
  expect(told.err.trim().split("\n").slice(2)).toEqual([
    "warning: 2 gaps, in which a replay has no book, are places where trades went on for more than 10 s without depth: if the source's depth is that sparse by nature, import it with --sparse-depth",
  ]);
  expect(await runLine([...args, at("sparse-known"), "--sparse-depth"])).toMatchObject({ err: "" });
  const [checked] = (await runLine(["recording", "check", at("sparse-known"), "--json"])).events;
  expect(checked).toMatchObject({ gaps: 0 });
});

describe("progress", () => {
  function* slow(): Steps<string> {
    for (let step = 1; step <= 5; step += 1) {
      const until = performance.now() + 150;
      while (performance.now() < until);
      yield step / 5;
    }
    return "done";
  }

  async function drawn(isTTY: boolean, json: boolean): Promise<string> {
    let text = "";
    const terminal = new Terminal(json, { out() {}, err() {}, isTerminal: isTTY });
    const stream = { isTTY, write: (part: string) => (text += part) };
    expect(await withProgress(terminal, "importing", slow(), stream)).toBe("done");
    return text;
  }

  test("a progress bar is drawn on a terminal only, and removed at the end", async () => {
    const text = await drawn(true, false);
    expect(text).toContain("importing");
    expect(text.endsWith("\r\u001b[2K")).toBe(true);
    expect(await drawn(true, true)).toBe("");
    expect(await drawn(false, false)).toBe("");
  });

  test("the progress bar always has the same width", () => {
    const widths = [-1, 0, 0.333, 1, 7].flatMap((share) =>
      [0, 5_000, 7_200_000].map((passedMs) => barText("x", share, passedMs).length),
    );
    expect(new Set(widths).size).toBe(1);
    const half = `${"█".repeat(15)}${"░".repeat(15)}  50%`;
    expect(barText("x", 0.5, 500).trimEnd()).toBe(`x  ${half}`);
    expect(barText("x", 0.5, 65_000)).toContain(`${half}  about 1m 05s left`);
    expect(barText("x", 0.25, 2_000)).toContain("about 6.0s left");
  });
});
