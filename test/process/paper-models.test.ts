import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { addFixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import { amount } from "../../src/domain/setting.ts";
import type { Side } from "../../src/domain/side.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { nodePorts } from "../../src/runtime/node-ports.ts";
import { startPaper } from "../../src/runtime/paper.ts";
import { paperSettings } from "../../src/runtime/paper-settings.ts";
import { defineStrategy, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { limit, testAddress, testHash } from "../support/exchange.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { silentLog, testCrypto } from "../support/venue.ts";

/**
 * The models of a bot's YAML on paper, over real sockets. Bots on paper leave no trace at the venue, so all bots of a test follow the same
 * market, which the test moves by hand.
 */

const [maker, taker] = [testAddress(1), testAddress(2)];
const folder = mkdtempSync(path.join(tmpdir(), "touchline-models-"));
const running: { stop(): Promise<unknown> }[] = [];
let venue: RunningVenue;
let hashes = 0;
let files = 0;

beforeAll(() => {
  // Its module is given to `loadBotConfig`.
  writeFileSync(path.join(folder, "joins-the-bid.ts"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  const funds = { "1": "1000000", "2": "1000000000" };
  venue = await startRealVenue({ accounts: { [maker]: funds, [taker]: funds } });
  // A book with both sides, beyond what the tests trade.
  order(maker, "BUY", "98", "10");
  order(maker, "SELL", "101", "10");
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((bot) => bot.stop()));
  await venue.close();
});

/** Bids 99 once. */
const joinsTheBid = defineStrategy({
  name: "joins-the-bid",
  params: z.strictObject({ size: amount() }),
  init: () => ({ hasBid: false }),
  decide({ params, state }) {
    if (state.hasBid) return keepQuotes();
    state.hasBid = true;
    return setQuotes({ bids: [{ price: 99, size: params.size }] });
  },
});

function order(account: typeof maker, side: Side, price: string, quantity: string): OrderId {
  hashes += 1;
  const txHash = testHash(hashes);
  const command = limit(side, price, quantity);
  venue.exchange.execute(account, command, systemClock.nowMs(), { txHash });
  return txHash;
}

function cancel(account: typeof maker, orderId: OrderId): void {
  hashes += 1;
  const txHash = testHash(hashes);
  venue.exchange.execute(account, { type: "cancel", orderId }, systemClock.nowMs(), { txHash });
}

/** A bot on paper with these models of its YAML; `size` is that of its bid at 99. */
async function onPaper(models: string, size = "20") {
  files += 1;
  const file = path.join(folder, `bot-${files}.yaml`);
  writeFileSync(
    file,
    `venue: { rest: "${venue.rest}", ws: "${venue.ws}", chainId: 1001 }
balances: { "1": "100000", "2": "100000000" }
latency: { entry: 0ms, response: 0ms, feed: 0ms }
models: ${models}
strategies:
  - { name: bidder, plugin: ./joins-the-bid.ts, market: "1_2", params: { size: "${size}" } }
`,
  );
  const importModule = async () => ({ default: joinsTheBid });
  const config = await loadBotConfig(file, { importModule });
  const ports = nodePorts({
    log: silentLog,
    crypto: await testCrypto(),
    stop: new AbortController().signal,
  });
  const bot = await startPaper(paperSettings(config), ports);
  const fills: Fill[] = [];
  const bids = new Set<number>();
  const times = { decidedMs: 0, enteredMs: 0, knownMs: 0 };
  bot.observers.on(({ batch, effects, notes }) => {
    for (const input of batch.inputs) {
      if (input.type === "depth") for (const value of input.event.bids) bids.add(value);
      if (input.type === "orderEvent") times.enteredMs ||= input.event.order.createdAtMs;
    }
    if (effects.some((effect) => effect.type === "place")) times.decidedMs ||= batch.nowMs;
    for (const note of notes) {
      if (note.type === "fill") fills.push(note.fill);
      if (note.type === "order" && note.order.phase === "working") times.knownMs ||= batch.nowMs;
    }
  });
  running.push({
    async stop() {
      bot.stop();
      await bot.done;
      await ports.http.close();
    },
  });
  return {
    times,
    hasSeenBid: (price: number) => bids.has(price),
    fees: () => fills.map(({ fee }) => fixedText(fee)),
    filled: () => fixedText(fills.reduce((sum, { quantity }) => addFixed(sum, quantity), ZERO)),
  };
}

type PaperBot = Awaited<ReturnType<typeof onPaper>>;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

let seen = 0;
/** Resolves once every bot has received all that has happened to the market. */
async function caughtUp(bots: readonly PaperBot[]): Promise<void> {
  seen += 1;
  const price = 50 + seen / 100;
  cancel(maker, order(maker, "BUY", String(price), "0.5"));
  await until(() => bots.every((bot) => bot.hasSeenBid(price)));
}

/** The same bots, once each has its order in the simulated exchange and knows so. */
async function resting(models: Readonly<Record<string, string>>, size?: string) {
  const started = Object.entries(models).map(
    async ([name, written]) => [name, await onPaper(written, size)] as const,
  );
  const bots = new Map(await Promise.all(started));
  await until(() => [...bots.values()].every((bot) => bot.times.knownMs > 0));
  return bots;
}

function each<Value>(bots: ReadonlyMap<string, PaperBot>, of: (bot: PaperBot) => Value) {
  return Object.fromEntries([...bots].map(([name, bot]) => [name, of(bot)]));
}

test("every model of fills fills its order as far as its queue moves on", async () => {
  const ahead = order(maker, "BUY", "99", "10");
  const bots = await resting({
    "risk-averse": "{ fills: { queue: risk-averse } }",
    uniform: "{ fills: { queue: uniform } }",
    power: "{ fills: { queue: power, exponent: 3 } }",
    log: "{ fills: { queue: log } }",
    "trade-through": "{ fills: { queue: trade-through } }",
    "whole orders": "{ fills: { partialFills: false } }",
  });
  const all = [...bots.values()];
  // 10 in front and 30 behind, of which 20 leave without a trade.
  const behind = order(maker, "BUY", "99", "10");
  const leaves = order(maker, "BUY", "99", "20");
  await caughtUp(all);
  cancel(maker, leaves);
  await caughtUp(all);
  expect(each(bots, (bot) => bot.filled())).toEqual(each(bots, () => "0"));
  order(taker, "SELL", "99", "12");
  await caughtUp(all);
  // Left in front, with p of docs/replay.md, is 10 − (1 − p) · 20 + min(30 − p · 20, 0). The trade of 12 takes that, and then the order.
  expect(each(bots, (bot) => bot.filled())).toEqual({
    // p = 1: 10 in front.
    "risk-averse": "2",
    // p = 30 ÷ 40: 5 in front.
    uniform: "7",
    // p = 30³ ÷ (30³ + 10³) = 27 ÷ 28: 9.285714…, rounded up to 9.28571429.
    power: "2.71428571",
    // p = ln 31 ÷ (ln 31 + ln 11) = 0.588829…: 1.776599…, rounded up to 1.77659947.
    log: "10.22340053",
    "trade-through": "0",
    "whole orders": "20",
  });
  cancel(maker, ahead);
  cancel(maker, behind);
  order(maker, "BUY", "98.9", "30");
  order(taker, "SELL", "98.9", "30");
  await caughtUp(all);
  expect(each(bots, (bot) => bot.filled())).toEqual(each(bots, () => "20"));
});

test("fees are the configured ones, and those of a tier after its volume was traded", async () => {
  const bots = await resting(
    {
      venue: "{}",
      rebate: "{ fees: { maker: -0.01% } }",
      tiers: "{ fees: { tiers: [{ volume: '150', maker: 0.1%, taker: 0.2% }] } }",
    },
    "3",
  );
  for (let trade = 0; trade < 3; trade += 1) {
    order(maker, "BUY", "98.9", "1");
    order(taker, "SELL", "98.9", "1");
    await caughtUp([...bots.values()]);
  }
  expect(each(bots, (bot) => bot.fees())).toEqual({
    venue: ["0.0002", "0.0002", "0.0002"],
    rebate: ["-0.0001", "-0.0001", "-0.0001"],
    // Two fills at 99 reach the volume; it counts after the block of the second.
    tiers: ["0.0002", "0.0002", "0.001"],
  });
});

test("every kind of latency delays an order on its way there and its report on the way back", async () => {
  writeFileSync(path.join(folder, "latency.csv"), "time,way,ms\n0,entry,400\n0,response,700\n");
  const bots = await resting({
    constant: "{ latency: { entry: 400ms, response: 700ms } }",
    uniform: "{ latency: { entry: 'uniform(400ms, 450ms)', response: 'uniform(700ms, 750ms)' } }",
    normal: "{ latency: { entry: 'normal(450ms, 1ms)', response: 'normal(750ms, 1ms)' } }",
    lognormal: "{ latency: { entry: 'lognormal(450ms, 1ms)', response: 'lognormal(750ms, 1ms)' } }",
    exponential:
      "{ latency: { entry: 'exponential(450ms, 400ms)', response: 'exponential(750ms, 700ms)' } }",
    trace: "{ latency: { entry: trace(latency.csv), response: trace(latency.csv) } }",
    // The public data is that late already, so a request takes as much more, and its response as much less.
    feed: "{ latency: { entry: 100ms, response: 1s, feed: 300ms } }",
    recorded: "{ latency: { entry: 100ms, response: 1s, feed: recorded(300ms) } }",
  });
  for (const [name, { times }] of bots) {
    expect(times.enteredMs - times.decidedMs, name).toBeGreaterThanOrEqual(400);
    expect(times.knownMs - times.enteredMs, name).toBeGreaterThanOrEqual(700);
  }
});
