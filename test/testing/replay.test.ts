import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { replay } from "../../src/testing/index.ts";

const root = path.join(import.meta.dirname, "../..");
const config = path.join(root, "test/data/replay-bot.yaml");
const recording = path.join(root, "config/recordings/zilusdt");
const to = Date.parse("2021-04-05T18:34:10Z");

describe("a replay from code", () => {
  test("has the result line and the tables that belong to it", async () => {
    const { result, warnings, fills, orders, equity, markouts } = await replay({
      config,
      recording,
      to,
    });
    expect(warnings).toEqual([]);
    expect(fills).toHaveLength(result.fills);
    expect(orders).toHaveLength(result.quotesPlaced);
    expect(markouts).toHaveLength(8 * fills.length);
    expect(equity.at(-1)?.pnl).toBe(result.pnl?.total);
    const filled = fills.reduce((sum, { quantity }) => sum + fixed(quantity), 0n);
    expect(filled).toBe(fixed(result.volumeBase ?? "0"));
    const executed = orders.reduce((sum, order) => sum + fixed(order.executed), 0n);
    expect(executed).toBe(filled);
  });

  test("takes a config as plain data, and a recorded market of another name", async () => {
    const strategy = {
      name: "maker",
      plugin: "pure-market-making",
      market: "1_2",
      params: { bidSpread: "0.03%", askSpread: "0.03%", size: "500", refresh: "500ms" },
    };
    const data = {
      venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1 },
      fees: { maker: "0.02%", taker: "0.05%" },
      strategies: [strategy],
    };
    const markets = { "1_2": "ZIL_USDT" };
    const { result } = await replay({ config: data, recording, markets, to });
    expect(result.fills).toBeGreaterThan(0);
    // Nothing of a venue has an effect on what is decided; its chain is in the ids of orders.
    const { venue: _, ...withoutVenue } = data;
    const alone = await replay({ config: withoutVenue, recording, markets, to });
    expect(alone.result.fills).toBe(result.fills);
    expect(alone.result.pnl).toEqual(result.pnl);
    const bad = { ...data, strategies: [{ ...strategy, plugin: "nothing" }] };
    await expect(replay({ config: bad, recording, markets })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  test("uses the caller's models in place of the config's, and says so", async () => {
    const models = { fees: { maker: 0, taker: 0 }, latency: { entry: "7ms" } };
    const { result, fills } = await replay({ config, recording, to, models });
    expect(result.models).toMatchObject({
      fees: { markets: { ZIL_USDT: { maker: "0", taker: "0" } } },
      latency: { entry: "7ms", response: "20ms" },
    });
    expect(fills.every(({ fee }) => fee === "0")).toBe(true);
    expect(result.pnl?.fees).toBe("0");
    const wrong = { latency: { entry: "soon" } };
    await expect(replay({ config, recording, models: wrong })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  test("ends when its signal says so", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(replay({ config, recording, signal })).rejects.toThrow("enough");
  });
});

describe("the example of docs/replay.md", () => {
  const document = readFileSync(path.join(root, "docs/replay.md"), "utf8");
  const [, code = ""] = /```ts\n([^]*?)```/.exec(document) ?? [];

  // `test/sdk/docs.test.ts` type-checks it.
  test("runs and prints a line for each latency", async () => {
    const args = [
      "--conditions=touchline-source",
      "--input-type=module-typescript",
      "--eval",
      code,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^1ms: -?\d/),
      expect.stringMatching(/^20ms: -?\d/),
      expect.stringMatching(/^200ms: -?\d/),
    ]);
  });
});
