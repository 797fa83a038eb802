import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

async function modelsOf(models: string) {
  const text = `
venue: { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws", chainId: 1001 }
latency: { entry: 11ms, response: 12ms, feed: 13ms }
fees: { maker: 0.01%, taker: 0.02% }
models: ${models}
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", refresh: 2s, tolerance: 0.02% }
`;
  const file = path.join(folder, "bot.yaml");
  const config = await botConfigFrom(parseYaml({ file, text, env: {}, overrides: [] }));
  return config.models;
}

const problemOf = async (models: string): Promise<string> => {
  try {
    await modelsOf(models);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

describe("models", () => {
  test("are constant delays and a risk-averse queue when nothing is written", async () => {
    expect(await modelsOf("{}")).toEqual({
      fills: { queue: "risk-averse", exponent: 3, partialFills: true },
      latency: {
        entry: { type: "constant", ms: 11 },
        response: { type: "constant", ms: 12 },
        feed: { type: "constant", ms: 13 },
        seed: 1,
      },
      fees: { maker: 0.0001, taker: 0.0002, tiers: [] },
    });
  });

  test.each([
    ["7ms", { type: "constant", ms: 7 }],
    ["uniform(1ms, 0.5s)", { type: "uniform", min: 1, max: 500 }],
    ["normal(20ms, 5ms)", { type: "normal", mean: 20, deviation: 5 }],
    ["lognormal(20ms,5ms)", { type: "lognormal", mean: 20, deviation: 5 }],
    ["exponential(20ms)", { type: "exponential", mean: 20, min: 0 }],
    ["exponential(20ms, 2ms)", { type: "exponential", mean: 20, min: 2 }],
    ["recorded(5ms)", { type: "recorded", min: 5 }],
  ])("read the delay %s", async (written, delay) => {
    expect((await modelsOf(`{ latency: { feed: "${written}" } }`)).latency.feed).toEqual(delay);
  });

  test.each([
    "soon",
    "uniform(5ms, 1ms)",
    "uniform(5ms)",
    "normal(5ms, x)",
    "weibull(1ms, 2ms)",
    "lognormal(0ms, 1ms)",
    "trace()",
    "70s",
  ])("refuse the delay %s", async (written) => {
    expect(await problemOf(`{ latency: { entry: "${written}" } }`)).toContain("is not a delay");
  });

  test("say that a delay with a comma needs quotes inside braces", async () => {
    expect(await problemOf("{ latency: { entry: uniform(5ms, 25ms) } }")).toContain(
      'put "uniform(5ms, …)" in quotes',
    );
    expect(await problemOf("{ latency: { entry: soon } }")).not.toContain("quotes");
  });

  test("refuse recorded delays where a recording has none, and unknown queues", async () => {
    expect(await problemOf('{ latency: { entry: "recorded(1ms)" } }')).toContain("is not a delay");
    expect(await problemOf("{ fills: { queue: fifo } }")).toContain("trade-through");
  });

  test("read a trace beside the file, rows of their own kind only", async () => {
    const rows = "run,time,way,ms\n1,2000,feed,4\n1,1000,feed,3\n1,1000,entry,9.5\n";
    writeFileSync(path.join(folder, "latency.csv"), rows);
    const { latency } = await modelsOf('{ latency: { feed: "trace(latency.csv)" } }');
    expect(latency.feed).toEqual({
      type: "trace",
      samples: [
        { timeMs: 1000, ms: 3 },
        { timeMs: 2000, ms: 4 },
      ],
    });
    expect(await problemOf('{ latency: { response: "trace(latency.csv)" } }')).toContain(
      "has no rows for response",
    );
    expect(await problemOf('{ latency: { feed: "trace(none.csv)" } }')).toContain("cannot be read");
  });

  test.each([
    ["no delay", "1500,feed,"],
    ["a text", "1500,feed,x"],
    ["a negative delay", "1500,feed,-4"],
    ["no time", ",feed,4"],
  ])("refuse a trace of which a row has %s, since the rest could be too fast", async (_, row) => {
    writeFileSync(path.join(folder, "bad.csv"), `time,way,ms\n1000,feed,3\n${row}\n`);
    expect(await problemOf('{ latency: { feed: "trace(bad.csv)" } }')).toContain(
      "whose line 3 has no time or no delay of 0 ms or more",
    );
  });

  test("keep a measured delay of more than a minute", async () => {
    writeFileSync(path.join(folder, "slow.csv"), "time,way,ms\n1000,feed,3\n2000,feed,90000\n");
    const { latency } = await modelsOf('{ latency: { feed: "trace(slow.csv)" } }');
    expect(latency.feed).toMatchObject({ samples: [{ ms: 3 }, { ms: 90_000 }] });
  });

  test("refuse two fee tiers with the same volume, of which one would never count", async () => {
    const tier = (volume: string) => `{ volume: "${volume}", maker: 0.01%, taker: 0.02% }`;
    const fees = `{ fees: { tiers: [${tier("100")}, ${tier("100.0")}] } }`;
    expect(await problemOf(fees)).toContain("has two tiers with the same volume");
  });
});
