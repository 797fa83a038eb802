import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { marketId } from "../../src/domain/ids.ts";
import { currencyOf } from "../../src/domain/reporting-currency.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type BotConfigOptions, loadBotConfig } from "../../src/config/load-bot-config.ts";
import { limitWarnings } from "../../src/config/limit-warnings.ts";
import { ConfigError } from "../../src/config/problem.ts";
import { demandWarnings, rateDemand } from "../../src/config/rate-demand.ts";
import { stopWarnings } from "../../src/config/stop-time.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { amount, duration, share } from "../../src/domain/setting.ts";
import { defineStrategy, noQuotes } from "../../src/strategy/contract.ts";

const owner = `0x${"ab".repeat(20)}`;
const key = `0x${"11".repeat(32)}`;
const definition = defineStrategy({
  name: "test",
  params: z.strictObject({
    spread: share({ max: 0.5 }),
    size: amount(),
    refresh: duration({ min: 50 }).prefault("2s"),
  }),
  init: () => ({}),
  decide: () => noQuotes("never"),
});

const venue = "venue:\n  rest: http://127.0.0.1:1\n  ws: ws://127.0.0.1:1/ws\n  chainId: 1001\n";
const account = `account:\n  owner: ${owner}\n  signer: { type: env, name: KEY }\n`;
const strategies = `strategies:
  - name: maker
    plugin: pure-market-making
    market: 1_2
    params: { spread: 0.1%, size: "0.50" }
`;

let folder = "";
let file = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-config-"));
  file = path.join(folder, "bot.yaml");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function load(text: string, options: BotConfigOptions = {}) {
  writeFileSync(file, text);
  return loadBotConfig(file, {
    env: { KEY: key },
    importModule: async () => ({ default: definition }),
    ...options,
  });
}

async function problems(text: string, options: BotConfigOptions = {}): Promise<readonly string[]> {
  try {
    await load(text, options);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (!(error instanceof ConfigError)) throw error;
    expect(error.code).toBe("CONFIG_INVALID");
    return error.message.split("\n").map((line) => line.replace(`${file}:`, ""));
  }
}

test("a market may be a ticker, with either separator, also in the limits of single markets", async () => {
  const config = await load(
    venue +
      strategies.replace("1_2", "ETH/USDC") +
      'risk: { markets: { ETH/USDC: { maxPosition: { quote: "5" } } } }\n',
  );
  expect(config.strategies.map(({ marketId }) => marketId)).toEqual(["ETH_USDC"]);
  expect(Object.keys(config.risk.markets)).toEqual(["ETH_USDC"]);
});

describe("the markets of a strategy", () => {
  const pair = defineStrategy({
    name: "pair",
    markets: ["main", "hedge"],
    params: z.unknown(),
    init: () => ({}),
    decide: () => noQuotes("never"),
  });
  const of = (definition: unknown) => ({ importModule: async () => ({ default: definition }) });
  const text = (written: string) =>
    `${venue}strategies:\n  - name: maker\n    plugin: pure-market-making\n${written}`;

  test("are named one by one, as ids or tickers, its own one as main", async () => {
    const config = await load(text("    markets: { hedge: BTC/EUR, main: 1_2 }\n"), of(pair));
    expect(config.strategies).toMatchObject([
      { marketId: "1_2", otherMarkets: { hedge: "BTC_EUR" } },
    ]);
    const one = await load(
      text("    markets: { main: 1_2 }\n"),
      of({ ...pair, markets: ["main"] }),
    );
    expect(one.strategies[0]).toMatchObject({ marketId: "1_2" });
    expect(one.strategies[0]).not.toHaveProperty("otherMarkets");
  });

  test.each([
    [
      "    market: 1_2\n",
      "strategies[0].market: is one market, but pair trades in 2: write markets: { main: …, hedge: … }",
    ],
    [
      "    markets: { main: 1_2 }\n",
      "strategies[0].markets: lacks hedge: pair needs markets: { main: …, hedge: … }",
    ],
    [
      "    markets: { main: 1_2, hegde: 3_2 }\n",
      "strategies[0].markets.hegde: is no market of pair, which has main, hedge, did you mean hedge",
    ],
    [
      "    markets: { main: 1_2, hedge: 1/2 }\n",
      "strategies[0].markets.hedge: is the market of main, too: give each name its own market",
    ],
    [
      "    markets:\n      main: 1_2\n      hedge: 7\n",
      "strategies[0].markets.hedge: is a number, must be text",
    ],
    [
      "    market: 1_2\n    markets: { main: 1_2, hedge: 3_2 }\n",
      "strategies[0].market: is written beside markets: keep one of them",
    ],
    ["", "strategies[0].market: is missing, write markets: { main: …, hedge: … }"],
  ])("are exactly those that it has: %s", async (written, problem) => {
    expect(await problems(text(written), of(pair))).toContainEqual(
      expect.stringContaining(problem),
    );
  });

  test("of a strategy with one market are that one", async () => {
    const one = of({ ...pair, name: "one", markets: undefined });
    expect(await problems(text("    markets: { main: 1_2, hedge: 3_2 }\n"), one)).toEqual([
      expect.stringContaining("markets.hedge: is no market of one, which has main"),
    ]);
    expect(await problems(text(""), one)).toEqual([
      expect.stringContaining("strategies[0].market: is missing, write it like 1_2 or ETH/USDC"),
    ]);
  });

  test("convert the amounts of its triggers, or the triggers are refused", async () => {
    const loss = "    risk: { triggers: { dayLoss: { halt: 5 } } }\n";
    const hedged = text(`    markets: { main: 1_2, hedge: 1_3 }\n${loss}`);
    expect(await problems(hedged, of(pair))).toEqual([]);
    const unrelated = text(`    markets: { main: 1_2, hedge: 4_3 }\n${loss}`);
    expect(await problems(unrelated, of(pair))).toEqual([
      expect.stringContaining("no market of the strategy converts 3 to 2"),
    ]);
  });
});

describe("defaults", () => {
  const defaults = (params: string) =>
    `defaults:\n  plugin: pure-market-making\n  params: ${params}\n  risk: { triggers: { sessionLoss: { halt: 5 } } }\n`;
  const short = (...entries: string[]) =>
    `strategies:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;

  test("are merged under each strategy, key by key", async () => {
    const config = await load(
      venue +
        defaults('{ spread: 0.1%, size: "0.5" }') +
        short(
          "{ name: a, market: 1_2 }",
          '{ name: b, market: 3_2, params: { size: "7" }, risk: { triggers: { sessionLoss: { warn: 2 } } } }',
        ),
      { overrides: ["defaults.params.refresh=3s", "strategies.b.params.spread=0.2%"] },
    );
    expect(config.strategies.map(({ writtenParams }) => writtenParams)).toEqual([
      { spread: "0.1%", size: "0.5", refresh: "3s" },
      { size: "7", spread: "0.2%", refresh: "3s" },
    ]);
    const steps = config.strategies.map(({ triggers }) => triggers?.sessionLoss?.steps.length);
    expect(steps).toEqual([1, 2]);
  });

  test("give no params to a strategy with another plugin", async () => {
    const config = await load(
      venue +
        defaults("{ spread: 0.1%, size: 1 }") +
        short("{ name: a, market: 1_2, plugin: bracket-entry, params: { spread: 0.2%, size: 2 } }"),
      { overrides: ["defaults.params.refresh=3s"] },
    );
    expect(config.strategies[0]?.writtenParams).toEqual({ spread: "0.2%", size: 2 });
  });

  test("are reported where they are written, and refuse keys that are of one strategy", async () => {
    expect(
      await problems(
        venue + defaults("{ spread: 60%, size: 1 }") + short("{ name: a, market: 1_2 }"),
      ),
    ).toEqual([expect.stringMatching(/^7:\d+: strategies\[0\].params.spread: is too large/)]);
    const two = short("{ name: a, market: 1_2 }\n  - { name: b, market: 1_2 }");
    const both = await problems(venue + defaults("{ spread: 60%, size: 1 }") + two);
    expect(both).toHaveLength(1);
    const obliged = "defaults: { obligation: { spread: 0.2%, size: 0 } }\n";
    expect(await problems(venue + obliged + strategies)).toHaveLength(1);
    const named = "defaults: { name: a }\n";
    expect(await problems(venue + named + strategies)).toEqual([
      expect.stringContaining("defaults.name"),
    ]);
  });
});

describe("a good file", () => {
  test("gets every default, paths relative to it, and parsed parameters", async () => {
    const config = await load(venue + account + strategies, { needs: "key" });
    expect(config).toMatchObject({
      venue: { chainId: 1001, l1ChainId: 8217 },
      account: { owner: owner.toLowerCase(), signer: { type: "env", name: "KEY" } },
      rateLimit: { perSecond: 20, burst: 40, concurrency: 8 },
      journal: { path: path.join(folder, "data/journal") },
      timing: { reconcileMs: 30_000 },
    });
    const [strategy] = config.strategies;
    expect(strategy).toMatchObject({
      name: "maker",
      marketId: "1_2",
      params: { spread: 0.001, refresh: 2000 },
    });
    expect(strategy?.writtenParams).toEqual({ spread: "0.1%", size: "0.50" });
  });

  test("takes overrides, whose paths are relative to the working folder", async () => {
    const config = await load(venue + strategies, {
      overrides: [
        "journal.path=./here",
        "strategies.maker.params.spread=1%",
        "dashboard.port=0",
        "timing.reconcile=5s",
      ],
    });
    expect(config.journal.path).toBe(path.resolve("here"));
    expect(config.strategies[0]?.params).toMatchObject({ spread: 0.01 });
    expect(config.dashboard).toMatchObject({ host: "127.0.0.1", port: 0 });
    expect(config.timing.reconcileMs).toBe(5000);
  });

  test("takes ~ for the home folder in every path, and refuses that of another user", async () => {
    vi.stubEnv("HOME", folder);
    writeFileSync(path.join(folder, "own.ts"), "");
    const paths = `journal: { path: ~/j }
control: { socket: "~/s" }
`;
    const session = `account:
  owner: ${owner}
  signer:
    type: session
    key: { type: keystore, path: ~/k.json, password: { file: ~/p } }
    renew: { owner: { type: command, command: [~/sign, ~/words] }, keys: ~/keys }
`;
    const text = venue + session + paths + strategies.replace("pure-market-making", "~/own.ts");
    const config = await load(text, { needs: "account" });
    const at = (name: string): string => path.join(folder, name);
    expect(config).toMatchObject({
      journal: { path: at("j") },
      control: { socket: at("s") },
      strategies: [{ plugin: at("own.ts") }],
      account: {
        signer: { path: at("k.json"), password: { path: at("p") } },
        session: { renew: { owner: { command: [at("sign"), at("words")] }, keys: at("keys") } },
      },
    });
    expect(await problems(`${venue}${strategies}journal: { path: ~eve/j }\n`)).toEqual([
      expect.stringContaining("10:18: journal.path: begins with ~eve, which is not read as a home"),
    ]);
    vi.stubEnv("HOME", "/elsewhere");
    const given = await load(venue + strategies, { overrides: ["journal.path=~/j"] });
    expect(given.journal.path).toBe("/elsewhere/j");
    vi.unstubAllEnvs();
  });

  test("reads the obligation of a strategy, and refuses half of one and an amount of 0", async () => {
    const written = (obligation: string) =>
      `${venue}${account}${strategies}    obligation: ${obligation}\n`;
    const { strategies: read } = await load(written('{ spread: 0.2%, size: "5" }'));
    expect(read[0]?.obligation).toEqual({ spread: 0.002, size: fixed("5") });
    const { strategies: inQuote } = await load(written("{ spread: 0.2%, size: { quote: 40 } }"));
    expect(inQuote[0]?.obligation?.size).toEqual({ quote: fixed("40") });
    expect(await problems(written("{ spread: 0.2% }"))).toMatchObject([/size/]);
    expect(await problems(written('{ spread: 0, size: "0" }'))).toHaveLength(2);
  });

  test("adds up in a currency to which the markets lead, and refuses triggers and currencies without one", async () => {
    const traded = (...markets: string[]) =>
      `${venue}${account}strategies:\n${markets
        .map(
          (market) =>
            `  - { name: m${market.replace("/", "_")}, plugin: pure-market-making, market: ${market}, params: { spread: 1%, size: "1" } }\n`,
        )
        .join("")}`;
    const triggers = 'risk: { triggers: { dayLoss: { halt: "5" } } }\n';
    const currency = async (text: string) => currencyOf(await load(text));
    expect(await currency(traded("1_2", "5_2"))).toBe("2");
    expect(await currency(triggers + traded("1_2", "1_3"))).toBe("2");
    expect(await currency(`reportingCurrency: "3"\n${traded("1_2", "1_3")}`)).toBe("3");
    expect(await currency(traded("1_2", "4_3"))).toBeUndefined();
    const [unrelated] = await problems(triggers + traded("1_2", "4_3"));
    expect(unrelated).toContain("no market of the strategies converts (2, 3)");
    const [unknown] = await problems(`reportingCurrency: "9"\n${traded("1_2")}`);
    expect(unknown).toContain("reportingCurrency: no market of the strategies converts 2 to 9");
    // Only the venue's list tells which tokens these are.
    expect(await currency(`reportingCurrency: "9"\n${traded("ETH/USDC")}`)).toBe("9");
    expect(await currency(`reportingCurrency: USDC\n${traded("1_2")}`)).toBe("USDC");
    expect(await currency(triggers + traded("ETH/USDC", "4_3"))).toBeUndefined();
  });

  test("gives a strategy a stable seed that depends on its name", async () => {
    const text = `${venue}${strategies}${strategies.slice(12).replace("maker", "other")}`;
    const [first, second] = (await load(text)).strategies;
    const [again] = (await load(text)).strategies;
    expect(again?.seed).toBe(first?.seed);
    expect(second?.seed).not.toBe(first?.seed);
  });
});

describe("problems, all at once", () => {
  test("are reported deep in parameters, beside others", async () => {
    const text = `${venue.replace("1001", "x")}${strategies.replace("0.1%", "60%").replace("size", "sise")}`;
    expect(await problems(text)).toEqual([
      "4:12: venue.chainId: is text, must be a number",
      "9:5: strategies[0].params.size: is missing, must be text or a number",
      "9:23: strategies[0].params.spread: is too large, at most 50%",
      "9:28: strategies[0].params.sise: is not a known key, did you mean size?",
    ]);
  });

  test.each([
    [
      "a name twice",
      venue + strategies + strategies.slice(12),
      ["10:11: strategies[1].name: is also the name of another strategy"],
    ],
    [
      "no venue, where more than a replay is wanted",
      strategies,
      ["1:1: venue: is missing, must be a map of keys: only replays do without"],
    ],
    ["no strategies", venue, ["1:1: strategies: is missing, must be a list"]],
    [
      "an address that is none",
      `${venue}${account.replace(owner, "0x12")}${strategies}`,
      ["6:10: account.owner: is not a 0x address of 20 bytes"],
    ],
    [
      "a socket address for REST",
      venue.replace("http", "ws") + strategies,
      ["2:9: venue.rest: is not an address of the form http://… or https://…"],
    ],
    [
      "a session without a key",
      `${venue}${account.replace("type: env, name: KEY", "type: session, path: k.json")}${strategies}`,
      [
        "7:3: account.signer.key: is missing, must be a map of keys",
        "7:28: account.signer.path: is not a known key, allowed: type, key, renew, stopBefore",
      ],
    ],
    [
      "a session of nobody, its renewal too late for the next one",
      `${venue}account: { signer: { type: session, key: { type: env, name: KEY }, renew: { owner: { type: command, command: [sign] }, keys: keys, before: 8d } } }\n${strategies}`,
      [
        "5:1: account.owner: is missing: a session wallet needs an owner to trade for",
        "5:68: account.signer.renew.lifetime: must be longer than renew.before, or the next session is due at once",
        "5:68: account.signer.renew.password: is missing: { env: NAME } or { file: PATH } of the new sessions' keystores",
      ],
    ],
    [
      "a part of a key in the file instead of its variable's name",
      `${venue}${account.replace("KEY", key.slice(0, 40))}${strategies}`,
      [
        "7:30: account.signer.name: is not the name of an environment variable; never write the key itself into the file",
      ],
    ],
    [
      "a risk limit that does not exist",
      `${venue}risk: { maxPositon: "1" }\n${strategies}`,
      ["5:9: risk.maxPositon: is not a known key, did you mean maxPosition?"],
    ],
    [
      "triggers without a step, with an unknown one, with falling limits, and of another scope",
      `${venue}risk: { triggers: { dayLoss: { recoverAfter: 5m }, drawdwn: {}, sessionLoss: { warn: 9, halt: 8 }, rejects: { stop: 3 } } }\n${strategies}    risk: { triggers: { clockChange: { warn: 1s } } }\n`,
      [
        "5:30: risk.triggers.dayLoss: has no step: set warn, widen, reduceOnly, pause, halt or some of them",
        "5:52: risk.triggers.drawdwn: is not a known key, did you mean drawdown?",
        "5:95: risk.triggers.sessionLoss.halt: begins before warn, which is a milder step",
        "5:109: risk.triggers.rejects: has no step: set warn, widen, reduceOnly, pause, halt or some of them",
        "5:111: risk.triggers.rejects.stop: is not a known key, allowed: warn, widen, reduceOnly, pause, halt, recoverAfter, window",
        expect.stringMatching(
          /^11:25: strategies\[0\]\.risk\.triggers\.clockChange: is not a known key, allowed: position, /,
        ),
      ],
    ],
    [
      "triggers that could never act",
      `${venue}risk: { triggers: { strategyFaults: { warn: 1, halt: 2 }, rejects: { halt: 20000 } } }\n${strategies}`,
      ["5:76: risk.triggers.rejects.halt: is too large, at most 10000"],
    ],
    [
      "more failed strategies than there are strategies",
      `${venue}risk: { triggers: { strategyFaults: { warn: 1, halt: 2 } } }\n${strategies}`,
      ["5:54: risk.triggers.strategyFaults.halt: is never reached: the number of strategies is 1"],
    ],
    [
      "a loss of the whole bot in two unrelated quote tokens",
      `${venue}risk: { triggers: { dayLoss: { halt: 5 }, rejects: { halt: 5 } } }\n${strategies}  - { name: other, plugin: pure-market-making, market: "4_3", params: { spread: 1%, size: 1 } }\n`,
      [
        "5:30: risk.triggers.dayLoss: adds up amounts of quote tokens that no market of the strategies converts (2, 3): set it for each strategy, in strategies[].risk.triggers",
      ],
    ],
  ])("%s", async (_, text, expected) => {
    expect(await problems(text)).toEqual(expected);
  });

  test("include a missing account and a missing or invalid key", async () => {
    expect(await problems(venue + strategies, { needs: "account" })).toEqual([
      "1:1: account: is missing, must be { owner, signer } of the wallet that trades",
    ]);
    const text = venue + account + strategies;
    const place = "7:30: account.signer.name: ";
    for (const [value, said] of [
      [undefined, "the environment variable KEY is not set"],
      ["0x12", "KEY does not hold a private key"],
      [`0x${"ff".repeat(32)}`, "KEY does not hold a private key"],
    ]) {
      const [line = ""] = await problems(text, { needs: "key", env: { KEY: value } });
      expect(line).toContain(place);
      expect(line).toContain(said);
      if (value !== undefined) expect(line).not.toContain(value);
    }
    expect(await problems(text, { env: {} })).toEqual([]);
  });

  test("include a plugin that cannot be loaded, at the line that names it", async () => {
    const text = venue + strategies.replace("pure-market-making", "./gone.ts");
    const [line = ""] = await problems(text);
    expect(line).toMatch(/^7:13: strategies\[0\]\.plugin: the file .*gone\.ts/);
  });

  test("include an owner whose checksum is wrong", async () => {
    const mistyped = "0x7E5f4552091a69125d5dfcb7b8c2659029395bdF";
    const right = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf";
    const written = (text: string) => problems(venue + account.replace(owner, text) + strategies);
    expect(await written(mistyped)).toEqual([
      "6:10: account.owner: does not match its checksum (EIP-55); is it mistyped?",
    ]);
    expect(await written(right)).toEqual([]);
  });

  test("include a schema that throws", async () => {
    const throwing = {
      ...definition,
      params: z.strictObject({ spread: z.any(), size: z.any() }).transform(() => {
        throw new Error("inside the schema");
      }),
    };
    const importModule = async () => ({ default: throwing });
    expect(await problems(venue + strategies, { importModule })).toEqual([
      "9:13: strategies[0].params: the schema of pure-market-making threw an error: inside the schema",
    ]);
  });

  test("include a missing file", async () => {
    await expect(loadBotConfig(path.join(folder, "nope.yaml"))).rejects.toThrow(
      "nope.yaml: the file does not exist",
    );
  });
});

test("the owner's signer program is beside the file, whatever the current folder", async () => {
  const loaded = async (command: string) => {
    const renew = `{ owner: { type: command, command: ${command} }, keys: keys, password: { env: KEY } }`;
    const signer = `{ type: session, key: { type: env, name: KEY }, renew: ${renew} }`;
    const config = await load(
      `${venue}account: { owner: "${owner}", signer: ${signer} }\n${strategies}`,
    );
    const place = config.account?.session?.renew?.owner;
    return place?.type === "command" ? place.command : undefined;
  };
  const beside = (name: string) => path.join(folder, name);
  expect(await loaded("[./sign, ./a, b/c]")).toEqual([beside("sign"), beside("a"), "b/c"]);
  expect(await loaded("[bin/sign]")).toEqual([beside("bin/sign")]);
  expect(await loaded("[python3, ../ask.py, -v]")).toEqual(["python3", beside("../ask.py"), "-v"]);
  expect(await loaded("[/usr/bin/sign]")).toEqual(["/usr/bin/sign"]);
});

test("limits of a market that nobody trades and a price collar of whole numbers are warned of", async () => {
  const warned = async (risk: string) =>
    limitWarnings(await load(`${venue}${account}risk: ${risk}\n${strategies}`));
  expect(await warned('{ priceCollar: 5%, markets: { "1_2": { maxPosition: "5" } } }')).toEqual([]);
  expect(await warned('{ priceCollar: 5, markets: { "1_3": { maxPosition: "5" } } }')).toEqual([
    expect.stringMatching(/^risk\.markets\.1_3: no strategy trades .* the traded ones are 1_2\.$/),
    expect.stringMatching(/^risk\.priceCollar is 500% .*: 5% is written with its sign\.$/),
  ]);
  expect(await warned('{ markets: { "1_2": { priceCollar: 1 } } }')).toHaveLength(1);
  const idle = async (
    market: string,
    limits: string,
    list?: Parameters<typeof limitWarnings>[1],
  ) => {
    const risk = `risk: { markets: { "${limits}": { maxPosition: "5" } } }\n`;
    const text = `${venue}${account}${risk}${strategies}`.replace(
      "market: 1_2",
      `market: "${market}"`,
    );
    return limitWarnings(await load(text), list).length > 0;
  };
  const listed = [
    { marketId: marketId("1", "2"), ticker: "ETH/USDC" },
    { marketId: marketId("3", "2"), ticker: "BTC/USDC" },
  ];
  for (const [market, limits, isIdle] of [
    ["ETH/USDC", "eth_usdc", false],
    ["ETH/USDC", "1_2", false],
    ["1_2", "ETH/USDC", false],
    ["ETH/USDC", "BTC/USDC", true],
    ["1_2", "3_2", true],
  ] as const) {
    expect([market, limits, await idle(market, limits)]).toEqual([market, limits, isIdle]);
    expect(await idle(market, limits, listed)).toBe(isIdle);
  }
  // Only the venue's list tells that these are not the same market.
  expect([await idle("1_2", "BTC/USDC"), await idle("1_2", "BTC/USDC", listed)]).toEqual([
    false,
    true,
  ]);
  expect([await idle("ETH/USDC", "3_2"), await idle("ETH/USDC", "3_2", listed)]).toEqual([
    false,
    true,
  ]);
});

test("a bot has no more open orders than a stop has time to cancel, unless the file says so", async () => {
  const loaded = async (blocks: string) => {
    const config = await load(`${venue}${account}${blocks}${strategies}`);
    return { most: config.risk.maxOpenOrders, warnings: stopWarnings(config) };
  };
  expect(await loaded("")).toEqual({ most: 50, warnings: [] });
  expect(await loaded("rateLimit: { perSecond: 10 }\n")).toEqual({ most: 50, warnings: [] });
  const slow = "rateLimit: { perSecond: 2, burst: 5 }\n";
  expect(await loaded(slow)).toEqual({
    most: 10,
    warnings: [
      "at most 10 orders are open at the same time (risk.maxOpenOrders), since a stop has time for 10: rateLimit.perSecond is 2, timing.stop 10 s, and each may take a cancel and a query.",
    ],
  });
  expect(await loaded(`${slow}timing: { stop: 1m }\n`)).toEqual({ most: 50, warnings: [] });
  expect(await loaded(`${slow}risk: { maxOpenOrders: 9 }\n`)).toEqual({ most: 9, warnings: [] });
  for (const [written, most, text] of [
    ["40", 40, "40"],
    ["null", null, "any number of"],
  ] as const) {
    const found = await loaded(`${slow}risk: { maxOpenOrders: ${written} }\n`);
    expect(found.most).toBe(most);
    expect(found.warnings).toEqual([expect.stringContaining(`allows ${text} orders`)]);
  }
  expect(await loaded("rateLimit: { perSecond: 0.05 }\n")).toMatchObject({ most: 1 });
});

test("the requests that quotes may take are compared with the rate budget", async () => {
  const quoting = { ...definition, demand: () => ({ quotes: 4, refreshMs: 1_000 }) };
  const importModule = async () => ({ default: quoting });
  const loaded = async (markets: number, blocks = "") => {
    const list = Array.from({ length: markets }, (_, at) =>
      strategies.replace("strategies:\n", "").replace("maker", `maker-${at}`),
    ).join("");
    const config = await load(`${venue}${account}${blocks}strategies:\n${list}`, { importModule });
    return { ...rateDemand(config), warnings: demandWarnings(config) };
  };
  expect(await loaded(2)).toEqual({ quotes: 8, perSecond: 16, warnings: [] });
  expect(await loaded(20)).toEqual({
    quotes: 80,
    perSecond: 160,
    warnings: [
      expect.stringMatching(/^to move 80 quotes .* up to 160 requests a second, .* allows 20:/),
      expect.stringMatching(/up to 80 quotes, and risk.maxOpenOrders allows 50/),
    ],
  });
  expect(await loaded(4, "execution: { useModify: true }\n")).toMatchObject({
    perSecond: 16,
    warnings: [],
  });
});

test("budgets of strategies that share a token and are more than the account has are warned of", async () => {
  const written = (budget: string) =>
    ["a", "b"]
      .map(
        (name, at) =>
          `  - { name: ${name}, plugin: pure-market-making, market: ${at + 1}_3, params: { spread: 1%, size: "1" } }\n`,
      )
      .join("")
      .replace(/^/, `defaults: { budget: ${budget} }\nstrategies:\n`);
  const warned = async (budget: string) =>
    limitWarnings(await load(`${venue}${account}${written(budget)}`));
  expect(await warned("{ base: 100%, quote: 50% }")).toEqual([]);
  expect(await warned("{ quote: 5000 }")).toEqual([]);
  expect(await warned("{ quote: 60% }")).toEqual([
    expect.stringMatching(/^The budgets of a and b are 120% of token 3 together/),
  ]);
  await expect(warned("{ quote: 160% }")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
