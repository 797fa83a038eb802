import { describe, expect, it } from "vitest";
import { z } from "zod";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { sourceWarnings } from "../../src/config/sources-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { ConfigError, problemLine } from "../../src/config/problem.ts";
import { namedSources } from "../../src/config/source-names.ts";
import { perLevel, sourceName } from "../../src/domain/setting.ts";

const rest = `
venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1001 }
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5" }
`;

async function load(sources: string, strategy = "") {
  return botConfigFrom(
    parseYaml({ file: "/home/bot.yaml", text: `sources:\n${sources}${rest}${strategy}`, env: {} }),
  );
}

async function problems(sources: string, strategy = ""): Promise<readonly string[]> {
  try {
    await load(sources, strategy);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(problemLine);
    throw error;
  }
}

describe("sources of a bot", () => {
  it("are read with their defaults", async () => {
    const config = await load(`
  btc: { type: binance, symbol: BTCUSDT }
  krw: { type: json, url: "https://rates.test/krw", every: 10s, price: data.0.rate, time: at, maxAge: 1m, whenOld: widen }
  pushed: { type: json, url: "ws://127.0.0.1:9/x", send: { op: sub }, bid: b.0, ask: a.0, jump: { share: 1%, confirm: btc } }
  peg: { type: static, price: 1 }
  near: { type: static, bid: "0.99", ask: 1.01 }
  kimchi: { type: market, market: "3_2" }
  exotic: { type: ccxt, exchange: upbit, symbol: BTC/KRW }
  old: { type: recording, path: ./rec }
  btckrw: { type: formula, formula: "btc * krw", whenOld: widen }
`);
    const aged = { maxAgeMs: 5_000, whenOld: "stop" };
    expect(config.sources).toMatchObject([
      {
        name: "btc",
        origin: { type: "input" },
        ...aged,
        feed: {
          type: "json",
          url: "wss://stream.binance.com:9443/ws/btcusdt@bookTicker",
          paths: { bid: "b", ask: "a" },
        },
      },
      {
        maxAgeMs: 60_000,
        whenOld: "widen",
        feed: { everyMs: 10_000, paths: { bid: "data.0.rate", ask: "data.0.rate", time: "at" } },
      },
      { feed: { send: '{"op":"sub"}' }, jump: { share: 0.01, confirm: "btc" } },
      { origin: { type: "static", bid: 1, ask: 1 }, maxAgeMs: Infinity },
      { origin: { type: "static", bid: 0.99, ask: 1.01 } },
      { origin: { type: "market", marketId: "3_2" }, ...aged },
      { feed: { type: "ccxt", exchange: "upbit", symbol: "BTC/KRW", everyMs: 1_000 } },
      { feed: { type: "recording", path: "/home/rec", source: "old" } },
      { origin: { type: "formula", formula: "btc * krw" }, whenOld: "widen" },
    ]);
  });

  it("warns of a source that is too old before it is read again", async () => {
    const url = "https://example.com/price";
    const read = `type: json, url: "${url}", price: mid, every: 10s`;
    const { sources } = await load(`  x: { ${read}, maxAge: 2s }\n  y: { ${read}, maxAge: 30s }\n`);
    expect(sourceWarnings(sources)).toEqual([
      expect.stringMatching(/^sources\.x: .* every 10000 ms and too old after 2000 ms/),
    ]);
  });

  it.each([
    ["  1x: { type: static, price: 1 }", "1x: is not a valid name"],
    ["  x: { type: fixed, price: 1 }", "sources.x.type: is not valid, must be json, binance"],
    ["  x: { type: static }", "sources.x: needs price, or both bid and ask, as prices"],
    ["  x: { type: static, bid: 1 }", "needs price, or both bid and ask"],
    ["  x: { type: static, price: 1, ask: 2 }", "needs price, or both bid and ask"],
    ["  x: { type: static, bid: 2, ask: 1 }", "sources.x.ask: is below the bid"],
    ["  x: { type: static, price: 0 }", "sources.x.price: must be above 0"],
    ["  x: { type: json, url: 'https://a.test' }", "needs price, or both bid and ask, as paths"],
    ["  x: { type: json, url: 'ftp://a.test', price: p }", "sources.x.url: is not an address"],
    ["  x: { type: json, url: 'http://a.test', price: p }", "sources.x.url: is not encrypted"],
    ["  x: { type: binance }", "sources.x.symbol: is missing"],
    ["  x: { type: market, market: BTC }", "sources.x.market: is not a market"],
    ["  x: { type: binance, symbol: A, jump: { share: 0 } }", "jump.share: is too small"],
    [
      "  x: { type: binance, symbol: A, jump: { share: 1%, confirm: y } }",
      "sources.x.jump.confirm: is not one of the sources: there are x",
    ],
    [
      "  x: { type: binance, symbol: A, jump: { share: 1%, confirm: x } }",
      "sources.x.jump.confirm: is the source itself",
    ],
    [
      "  x: { type: binance, symbol: A, jump: { share: 1%, confirm: y } }\n  y: { type: formula, formula: 2 * x }",
      "sources.x.jump.confirm: is the source itself, or a formula of it",
    ],
    [
      "  btc: { type: static, price: 1 }\n  y: { type: formula, formula: btd * 2 }",
      'sources.y.formula: "btd" is not one of btc, y, did you mean btc',
    ],
    ["  y: { type: formula, formula: '2 *' }", "is not an expression such as btcusdt * usdtkrw"],
    ["  y: { type: formula, formula: '2 * 3' }", "sources.y.formula: names no source"],
    ["  y: { type: formula, formula: 'y + 1' }", "sources.y.formula: is a circle: y → y"],
    [
      "  a: { type: formula, formula: b }\n  b: { type: formula, formula: c }\n  c: { type: formula, formula: a }",
      "sources.a.formula: is a circle: a → b → c → a",
    ],
    ["  y: { type: formula, formula: x, maxAge: 5s }", "sources.y.maxAge: is not a known key"],
  ])("says what is wrong with %s", async (sources, expected) => {
    const lines = await problems(sources);
    expect(lines.join("\n")).toContain(expected);
    expect(lines[0]).toMatch(/^\/home\/bot\.yaml:\d+:\d+: /);
  });

  it("must have the names that a strategy sees", async () => {
    const [line = ""] = await problems("  btc: { type: static, price: 1 }", "    sources: [btd]\n");
    expect(line).toContain(
      "strategies[0].sources[0]: is not one of the sources: there are btc, did you mean btc",
    );
  });

  it.each([
    ["source: btd", "params.source: is not one of the sources: there are btc, eth"],
    ["source: eth", "params.source: is not one of the sources: there are btc"],
    ["source: btc", undefined],
  ])("must have the name that a parameter gives: %s", async (params, expected) => {
    const [line, ...others] = await problems(
      "  btc: { type: static, price: 1 }\n  eth: { type: static, price: 1 }",
      `  - name: quoter
    plugin: fair-value-quoter
    market: "1_2"
${expected?.includes("eth") === false ? "    sources: [btc]\n" : ""}    params: { ${params}, size: "1", minEdge: 0.1% }
`,
    );
    expect(others).toEqual([]);
    if (expected === undefined) expect(line).toBeUndefined();
    else expect(line).toMatch(/^\/home\/bot\.yaml:1[34]:23: strategies\[1\]\./);
    expect(line ?? "").toContain(expected ?? "");
  });

  it.each([
    ["a list", z.strictObject({ of: z.array(sourceName()) }), { of: ["a", "b"] }, ["of", 1]],
    [
      "a group",
      z.strictObject({ of: z.strictObject({ b: sourceName() }) }),
      { of: { b: "b" } },
      ["of", "b"],
    ],
    [
      "a record",
      z.strictObject({ of: z.record(z.string(), sourceName()) }),
      { of: { x: "b" } },
      ["of", "x"],
    ],
    ["a default", z.strictObject({ of: sourceName().default("b") }), {}, ["of"]],
    ["levels", z.strictObject({ of: perLevel(sourceName()) }), { of: "b" }, ["of", 0]],
    [
      "a described choice",
      z.strictObject({ of: sourceName().optional().describe("One.") }),
      { of: "b" },
      ["of"],
    ],
  ])("are found as %s among parameters", (_, schema, written, path) => {
    const found = namedSources(schema, schema.parse(written));
    expect(found.filter(({ name }) => name === "b")).toEqual([{ name: "b", path }]);
  });
});
