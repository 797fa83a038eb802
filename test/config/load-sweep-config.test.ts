import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSweepConfig, overridesOf } from "../../src/config/load-sweep-config.ts";
import { ConfigError } from "../../src/config/problem.ts";

const bot = `venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1001 }
strategies:
  - name: maker
    plugin: pure-market-making
    market: 1_2
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5" }
`;
const rest = "config: bot.yaml\nrecordings: [data]\n";
const levels = "parameters:\n  strategies.maker.params.levels: [1, 2]\n";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-sweep-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, botText = bot) {
  writeFileSync(path.join(folder, "bot.yaml"), botText);
  const file = path.join(folder, "sweep.yaml");
  writeFileSync(file, text);
  return loadSweepConfig(file, { env: {} });
}

async function problems(text: string, botText = bot): Promise<readonly string[]> {
  try {
    await load(text, botText);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${folder}${path.sep}`, "").split("\n");
  }
}

test("a short sweep has the defaults, and paths relative to its file", async () => {
  const sweep = await load(rest + levels);
  expect(sweep).toMatchObject({
    bot: { file: path.join(folder, "bot.yaml"), text: bot },
    recordings: [path.join(folder, "data")],
    markets: {},
    search: "grid",
    seed: 1,
    batch: 8,
    objective: "pnl",
    minFills: 0,
  });
  expect(sweep.runs).toBeUndefined();
  expect(sweep.walkForward).toBeUndefined();
});

test("a parameter is a list, a list with further paths, or a range", async () => {
  const { parameters } = await load(`${rest}parameters:
  strategies.0.params.levels: [1, 2]
  strategies.maker.params.bidSpread:
    { from: 0.01%, to: 0.1%, steps: 4, scale: log, also: [strategies.maker.params.askSpread] }
  strategies.maker.params.size: { values: ["1", 2] }
`);
  expect(parameters).toMatchObject([
    { name: "strategies.0.params.levels", values: { kind: "list", values: [1, 2] } },
    {
      paths: ["strategies.maker.params.bidSpread", "strategies.maker.params.askSpread"],
      values: { kind: "range", from: 0.01, to: 0.1, unit: "%", steps: 4, scale: "log" },
    },
    { values: { kind: "list", values: ["1", 2] } },
  ]);
  expect(parameters.flatMap((parameter) => overridesOf(parameter, "1"))).toEqual([
    'strategies.0.params.levels="1"',
    'strategies.maker.params.bidSpread="1"',
    'strategies.maker.params.askSpread="1"',
    'strategies.maker.params.size="1"',
  ]);
});

const at = "sweep.yaml:4:3: parameters.strategies.maker.params";

test.each([
  ["config: bot.yaml\nrecordings: []\n", ["sweep.yaml:1:1: parameters: is missing"]],
  [
    `${rest}${levels}serch: random\n`,
    ["sweep.yaml:5:1: serch: is not a known key, did you mean search?"],
  ],
  [
    `${rest}${levels}objective: profit\n`,
    ['sweep.yaml:5:12: objective: "profit" is not one of pnl, sharpe'],
  ],
  [`${rest}${levels}search: random\n`, ["runs: is missing, random search needs it"]],
  [`${rest}${levels}runs: 5\n`, ["sweep.yaml:5:7: runs: is for random and bayesian search"]],
  [
    `${rest}parameters:\n  strategies.maker.params.size: { from: 1, to: 2 }\n`,
    ["has no steps, which a grid needs"],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.size: { from: 2, to: 1, steps: 3 }\n`,
    ["must have a from below its to"],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.size: { from: 0, to: 1, steps: 3, scale: log }\n`,
    ["must have a from above 0 for a log scale"],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.refresh: { from: 500ms, to: 1s, steps: 3 }\n`,
    ["must have the same unit in from and to"],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.size: { values: [1], from: 1 }\n`,
    ["has a list and a range, keep one"],
  ],
  [`${rest}parameters: {}\n`, ["sweep.yaml:3:13: parameters: is empty"]],
  [
    `${rest}${levels}walkForward: { train: 1h, tset: 1h }\n`,
    ["walkForward.test: is missing", "walkForward.tset: is not a known key, did you mean test?"],
  ],
  // Against the bot's config.
  [
    `${rest}parameters:\n  strategies.maker.params.lvels: [1, 2]\n`,
    [`${at}.lvels: no value of it fits the config: strategies[0].params.lvels is not a known key`],
  ],
  [
    `${rest}parameters:\n  strategies.taker.params.levels: [1, 2]\n`,
    ["no value of it fits the config: strategies has no entry taker"],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.levels: [-1, none]\n`,
    [`${at}.levels: no value of it fits the config: strategies[0].params.levels is too small`],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.refresh: [500ms, 2s, 0.5s]\n`,
    [
      'sweep.yaml:4:48: parameters.strategies.maker.params.refresh[2]: "500ms" and "0.5s" are the same value',
    ],
  ],
  [
    `${rest}parameters:\n  strategies.maker.params.size: { values: ["1.0", 2, 1] }\n`,
    ['"1.0" and 1 are the same value'],
  ],
])("%j is refused with its place", async (text, expected) => {
  const found = await problems(text);
  for (const each of expected) expect(found.join("\n")).toContain(each);
});

test("a value that does not fit is left to its run, as long as another one does", async () => {
  expect(await problems(`${rest}parameters:\n  strategies.maker.params.levels: [-1, 2]\n`)).toEqual(
    [],
  );
});

test("mistakes of the bot's own file are reported with its place", async () => {
  const found = await problems(rest + levels, bot.replace("chainId: 1001", "chainId: none"));
  expect(found).toEqual([expect.stringMatching(/^bot\.yaml:1:\d+: venue\.chainId: /)]);
});

test("a value that the bot's file lacks may come from a parameter", async () => {
  const text = `${rest}parameters:\n  strategies.maker.params.size: [1, 2]\n`;
  expect(await problems(text, bot.replace(', size: "0.5"', ""))).toEqual([]);
});

test("a missing file of the bot is one sentence", async () => {
  expect(await problems(`config: none.yaml\nrecordings: [data]\n${levels}`)).toEqual([
    "none.yaml: the file does not exist",
  ]);
});
