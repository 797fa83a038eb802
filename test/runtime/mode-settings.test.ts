import { expect, test } from "vitest";
import { defaultStreamTiming } from "../../src/gateway/stream-timing.ts";
import { fixedFromNumber } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { startPaper } from "../../src/runtime/paper.ts";
import { stopped, type World, liveWorld } from "./live-world.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";

/** A bot that runs, loses its connection and stops reads every setting of its mode. */

/** Wraps the settings, and records the paths of the plain values that are read from them. */
function watched<Settings extends object>(settings: Settings) {
  const read = new Set<string>();
  const watch = <Part extends object>(part: Part, path: string): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof name === "symbol") return value;
        if (isBlock(value)) return watch(value, `${path}${name}.`);
        read.add(path + name);
        return value;
      },
    });
  return { settings: watch(settings, ""), read };
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && value !== null && value.constructor === Object;
}

function pathsOf(settings: object, at = ""): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    isBlock(value) ? pathsOf(value, `${at}${name}.`) : [at + name],
  );
}

/** Paths that were not read, without the settings of the kernel, which `mode-keys` compares. */
function unread(settings: object, read: ReadonlySet<string>): readonly string[] {
  const isOfKernel = (path: string) => /^(risk|timing|rateLimit|strategies)\b/.test(path);
  return pathsOf(settings).filter((path) => !isOfKernel(path) && !read.has(path));
}

/** Connections with a short lifetime. */
const streams = { ...defaultStreamTiming, lifetimeMs: 10_000 };

async function runThroughReconnect(at: World): Promise<void> {
  await at.clock.runFor(30_000);
  at.network.cutSockets();
  await at.clock.runFor(30_000);
}

test("a live bot reads every setting", async () => {
  const at = await liveWorld(4);
  const { settings, read } = watched({ ...at.settings, streams, dryRun: false });
  const bot = await at.start(settings);
  await runThroughReconnect(at);
  await stopped(at, bot);
  expect(unread(at.settings, read)).toEqual([]);
});

test("a bot on paper reads every setting", async () => {
  const at = await liveWorld(4);
  const { journal: _, configText: __, codeVersion: ___, ...shared } = at.settings;
  const given = {
    ...shared,
    streams,
    balances: { "1": "20", "2": "50000" },
    models: {
      fills: defaultFills,
      latency: constantDelays({ entry: 20, response: 30, feed: 10 }),
      fees: { ...marketFees, maker: 0.001, taker: 0.002 },
    },
  };
  const { settings, read } = watched(given);
  const bot = await at.settle(startPaper(settings, at.ports));
  await runThroughReconnect(at);
  await stopped(at, bot);
  expect(unread(given, read)).toEqual([]);
  expect(bot.markets.map(({ makerFee }) => makerFee)).toEqual([fixedFromNumber(0.001)]);
});

test("a bot on paper takes the market's id from the venue's list where its ticker is given", async () => {
  const at = await liveWorld(5);
  const strategies = at.settings.strategies.map((one) => ({
    ...one,
    marketId: "eth_usdt" as MarketId,
  }));
  const models = {
    fills: defaultFills,
    latency: constantDelays({ entry: 20, response: 20, feed: 20 }),
    fees: marketFees,
  };
  const given = { ...at.settings, strategies, balances: undefined, models };
  const bot = await at.settle(startPaper(given, at.ports));
  await at.clock.runFor(5_000);
  expect((await stopped(at, bot)).summary.quotesPlaced).toBeGreaterThan(0);
  expect(bot.markets.map(({ marketId }) => marketId)).toEqual(["1_2"]);
});

test.each([true, false])("useModify: %s on paper", async (useModify) => {
  const at = await liveWorld(5);
  const given = {
    ...at.settings,
    execution: { useModify },
    balances: undefined,
    models: {
      fills: defaultFills,
      latency: constantDelays({ entry: 20, response: 20, feed: 20 }),
      fees: marketFees,
    },
  };
  const bot = await at.settle(startPaper(given, at.ports));
  await at.clock.runFor(60_000);
  const { summary } = await stopped(at, bot);
  expect(summary.quotesModified > 0).toBe(useModify);
});
