import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

const recording = "config/recordings/zilusdt";
const replay = ["replay", "config/demo.yaml", "--data"];

test.each([
  [...replay, "nowhere"],
  [...replay, "config"],
  [...replay, "config/demo.yaml"],
  [...replay, recording, "--market", "1_2"],
  [...replay, recording, "--market", "1_2=NOPE"],
  [...replay, recording, "--market", "9_9=ZIL_USDT"],
  ["recording", "check", "nowhere"],
  ["recording", "info", "nowhere"],
  ["recording", "cut", recording, "--market", "NOPE", "--out", "unused"],
  ["import", "nothing-known", "file", "--out", "unused"],
  ["import", "binance-raw", "nowhere", "--out", "unused"],
  ["import", "binance-raw", "package.json", "--market", "BTCUSDT", "--out", "unused"],
  // As a script passes a variable that is not set. A folder without a name would be the root.
  [...replay, recording, "--market", "1_2=ZIL_USDT", "--report", ""],
  [...replay, recording, "--market", "1_2=ZIL_USDT", "--out", ""],
  ["recording", "export", recording, "--out", ""],
  ["sweep", "config/sweep.yaml", "--out", ""],
  ["recording", "info", ""],
])("%j is a usage error: exit code 2", async (...line) => {
  const { code, events } = await runLine([...line, "--json"]);
  expect(events).toMatchObject([{ event: "error" }]);
  expect(code).toBe(2);
});

test("a market that the command line does not name well enough is a usage error", async () => {
  const tokens = ["1", "2", "3"].map((tokenId) => ({ tokenId, symbol: "ABC", decimals: 6 }));
  const fees = { makerFee: "0", takerFee: "0" };
  const markets = ["2", "3"].map((quote) => ({ base: "1", quote, ...fees }));
  const venue = await startPaperVenue({ config: { tokens, markets, faucet: {}, flow: "none" } });
  const shown = await runLine(["market", "depth", "ABC/ABC", "--venue", venue.rest, "--json"]);
  await venue.close();
  expect(shown).toMatchObject({ code: 2, events: [{ code: "MARKET_AMBIGUOUS" }] });
  const folder = temporaryFolder();
  const file = path.join(folder, "trades.csv");
  writeFileSync(
    file,
    "exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nx,FOO,1735689600000000,1735689600000000,1,buy,1,1\n",
  );
  const line = ["import", "tardis", file, "--out", path.join(folder, "out"), "--json"];
  expect(await runLine(line)).toMatchObject({ code: 2, events: [{ code: "MARKET_NAME_UNKNOWN" }] });
});

test("a config without a venue is enough for replays, and for nothing else", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "bot.yaml");
  writeFileSync(
    file,
    `fees: { maker: 0.02%, taker: 0.05% }
strategies:
  - { name: zil, plugin: pure-market-making, market: ZIL_USDT, params: { bidSpread: 0.03%, askSpread: 0.03%, size: "500" } }
`,
  );
  const missing = /bot\.yaml:1:1: venue: is missing/;
  for (const line of [`run ${file}`, `paper ${file}`, `order open --config ${file}`]) {
    const { code, events } = await runLine([...line.split(" "), "--json"]);
    expect([line, code]).toEqual([line, 2]);
    expect(JSON.stringify(events)).toMatch(missing);
  }
  const checked = await runLine(["check", file, "--json"]);
  expect(checked).toMatchObject({ code: 0 });
  expect(JSON.stringify(checked.events)).toContain("no venue: sufficient for replay and sweep");
  const set = "venue={ rest: http://127.0.0.1:1, ws: ws://127.0.0.1:1/ws, chainId: 1 }";
  const withVenue = await runLine(["check", file, "--set", set, "--json"]);
  expect(JSON.stringify(withVenue.events)).toContain(
    "market ZIL/USDT: a ticker cannot be resolved offline",
  );
  const until = "2021-04-05T18:33:40Z";
  const replayed = await runLine(["replay", file, "--data", recording, "--to", until, "--json"]);
  expect(replayed).toMatchObject({ code: 0, events: [{ event: "result", ordersLeft: 0 }] });
});

test("check says a warning of many strategies once, with their number", async () => {
  const file = path.join(temporaryFolder(), "bot.yaml");
  const params = '{ bidSpread: 0.001%, askSpread: 0.001%, tolerance: 0.0001%, size: "500" }';
  const strategies = Array.from(
    { length: 20 },
    (_, at) =>
      `  - { name: m${at}, plugin: pure-market-making, market: T${at}_USDT, params: ${params} }`,
  );
  writeFileSync(
    file,
    `venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1 }
fees: { maker: 0.02%, taker: 0.05% }
strategies:
${strategies.join("\n")}
`,
  );
  const { events } = await runLine(["check", file, "--json"]);
  const warnings = events[0]?.["warnings"] as readonly string[];
  expect(warnings.filter((one) => /^m\d/.test(one))).toEqual([
    expect.stringMatching(/^m0, m1, m2 and 17 more: .*loses/),
  ]);
  expect(warnings.filter((one) => one.includes("cannot be resolved offline"))).toEqual([
    expect.stringMatching(/^market T0\/USDT, T1\/USDT, T2\/USDT and 17 more: /),
  ]);
});

test("check --strategy says what the risk rules deny, and what check says of code names it", async () => {
  const file = path.join(temporaryFolder(), "grid.mjs");
  writeFileSync(
    file,
    `import { setQuotes, noQuotes, z } from "touchline";
export default { name: "grid", params: z.strictObject({}), init: () => ({}), decide({ view: { book: { mid } } }) {
  if (mid === undefined) return noQuotes("no book");
  return setQuotes({ bids: [0.99, 0.7].map((share) => ({ price: mid * share, size: "1" })) });
} };
`,
  );
  const { code, events } = await runLine(["check", "--strategy", file, "--json"]);
  expect(code).toBe(0);
  expect(JSON.stringify(events)).toMatch(
    /grid: in a book with a mid of 100.*by price-collar, first BUY 1 at 70: 30%, limit 5%/,
  );
  const named = await runLine(["check", file, "--json"]);
  expect(named.code).toBe(2);
  expect(JSON.stringify(named.events)).toContain(`touchline check --strategy ${file}`);
});

test("a value without its option's name is answered with the names", async () => {
  const line = "position set config/demo.yaml zil-maker 1 --json".split(" ");
  const { code, events } = await runLine(line);
  expect(code).toBe(2);
  expect(events).toMatchObject([
    {
      message: "`touchline position set` takes <config> only, and there is more: zil-maker, 1.",
      hint: expect.stringContaining("--strategy <name>, --market <id>, --base <amount>"),
    },
  ]);
});

test("a missing file of --strategy is reported with the option and the folder", async () => {
  const { code, events } = await runLine(
    "replay config/demo.yaml --data test/data --strategy no/such.ts --json".split(" "),
  );
  expect(code).toBe(2);
  expect(events).toMatchObject([
    {
      message: "--strategy no/such.ts is not a file.",
      hint: `The path is relative to ${process.cwd()}.`,
    },
  ]);
});

test.each([
  ["replay", "sweep", "a sweep (`touchline sweep FILE`), not of a bot"],
  ["replay", "venue", "a paper venue (`touchline venue FILE`), not of a bot"],
  ["sweep", "bot", "a bot (`touchline run FILE`), not of a sweep"],
  ["sweep", "venue", "a paper venue (`touchline venue FILE`), not of a sweep"],
  ["venue", "bot", "a bot (`touchline run FILE`), not of a paper venue"],
  ["venue", "sweep", "a sweep (`touchline sweep FILE`), not of a paper venue"],
])("%s with the file of a %s names the command for it", async (command, kind, text) => {
  const files = { sweep: "sweep.yaml", venue: "demo-venue.yaml", bot: "demo.yaml" };
  const file = new Map(Object.entries(files)).get(kind);
  const more = command === "replay" ? ["--data", recording] : [];
  const { code, events } = await runLine([command, `config/${file}`, ...more, "--json"]);
  expect(code).toBe(2);
  expect(events.at(-1)).toMatchObject({ code: "CONFIG_INVALID" });
  expect(String(events.at(-1)?.["message"])).toContain(`is the configuration of ${text}`);
});

test("a file with keys of a bot and of a sweep is judged as what the command expects", async () => {
  const file = path.join(temporaryFolder(), "both.yaml");
  writeFileSync(file, "strategies: []\nparameters: {}\n");
  const { events } = await runLine(["sweep", file, "--json"]);
  expect(String(events.at(-1)?.["message"])).toContain("strategies: is not a known key");
});

test("check takes a strategy's file alone, and names what is wrong with it", async () => {
  const file = path.join(temporaryFolder(), "wide.mjs");
  const strategy = (decide: string) => `import { noQuotes, z } from "touchline";
export default { name: "wide", params: z.strictObject({}), init: () => ({}), ${decide} };`;
  writeFileSync(file, strategy("decide: () => noQuotes('later')"));
  const good = await runLine(["check", "--strategy", file, "--json"]);
  expect(good.code).toBe(0);
  expect(good.events[0]).toMatchObject({ event: "check", strategies: [{ name: "wide" }] });
  const wrong = path.join(path.dirname(file), "wrong.mjs");
  writeFileSync(wrong, strategy("decides: () => 1"));
  const bad = await runLine(["check", "--strategy", wrong, "--json"]);
  expect([bad.code, JSON.stringify(bad.events)]).toEqual([2, expect.stringContaining("decide")]);
  expect((await runLine(["check", "--json"])).code).toBe(2);
});
