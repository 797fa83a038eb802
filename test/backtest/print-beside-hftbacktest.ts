import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { ReplayDetails } from "../../src/backtest/replay-details.ts";
import { runReplay } from "../../src/backtest/run-replay.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import type { FlatLevels } from "../../src/domain/depth.ts";
import { marketId } from "../../src/domain/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadKeccak256 } from "../../src/platform/keccak.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import type { QueueName } from "../../src/simulated/queue-models.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defineStrategy, noQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { filesOf, io, sets } from "../recordings/shared-sets.ts";

/**
 * Prints the comparison with hftbacktest of docs/replay.md, and each order that differs: the same recorded events in the same order, no latency, one
 * order at each touch that is replaced again and again. TOUCHLINE_BENCH_PYTHON names a Python with hftbacktest 2.4.4.
 *
 *     node --conditions=touchline-source test/backtest/print-beside-hftbacktest.ts [01|06]
 */
const python = process.env["TOUCHLINE_BENCH_PYTHON"] ?? "python3";
const queues = ["risk-averse", "uniform", "power", "log"] as const;
const markets = {
  "01": { base: "BTC", size: "0.001", everyMs: 2_500, tick: 0.01, lot: 0.000001 },
  "06": { base: "TRX", size: "100", everyMs: 10_000, tick: 0.0001, lot: 0.1 },
} as const;
/** Orders reach both exchanges after all events of their millisecond. */
const AFTER_EVENTS_NS = 900_000;

const number = process.argv[2] === "01" ? "01" : "06";
const { base, size, everyMs, tick, lot } = markets[number];
const market = marketId(base, "USDT");
const set = sets.find(({ name }) => name.startsWith(number));
if (set === undefined) throw new Error(`set ${number} is not in ../shared/data`);
const folder = mkdtempSync(path.join(tmpdir(), "touchline-beside-"));
const out = path.join(folder, "recording");
importRecording(io, { format: set.format, files: filesOf(set), out });
const recording = new Recording(io, out);

/** Cancels at each step, and a millisecond later quotes both touches once. */
const touches = defineStrategy({
  name: "touches",
  params: z.strictObject({}),
  init: () => ({ nextMs: 0, isOut: true }),
  decide({ view, state }) {
    if (view.nowMs < state.nextMs) return noQuotes("too early");
    state.isOut = !state.isOut;
    const [bid, ask] = [view.book.best("BUY"), view.book.best("SELL")];
    state.nextMs = view.nowMs + (state.isOut ? 1 : everyMs - 1);
    const wake = { wakeAtMs: state.nextMs, wakeOn: "time" as const };
    if (state.isOut || bid === undefined || ask === undefined) return setQuotes({ ...wake });
    return setQuotes({
      bids: [{ price: bid.price, size }],
      asks: [{ price: ask.price, size }],
      ...wake,
    });
  },
});

const bot = await loadBotConfig(path.join(import.meta.dirname, "../data/replay-bot.yaml"));
const [maker] = bot.strategies;
if (maker === undefined) throw new Error("one strategy");
const keccak256 = await loadKeccak256();

const ours = async (queue: QueueName, partialFills: boolean) => {
  const details = new ReplayDetails();
  await runReplay({
    config: {
      ...bot,
      balances: { [base]: "1000000000", USDT: "1000000000" },
      strategies: [{ ...maker, definition: touches, marketId: market, params: {} }],
      models: {
        ...bot.models,
        fills: { queue, exponent: 3, partialFills },
        latency: constantDelays({ entry: 0, response: 0, feed: 0 }),
      },
    },
    recording,
    keccak256,
    clock: systemClock,
    details,
    pause: async () => undefined,
  });
  const { fills, orders } = details.tables;
  const lastFill = new Map(fills.map((fill) => [fill.orderId, fill.timeMs]));
  return orders
    .filter(({ enteredMs }) => enteredMs !== null)
    .map((order) => ({
      ...order,
      filledMs: order.executed === order.quantity ? (lastFill.get(order.orderId ?? "") ?? 0) : 0,
    }));
};

const events: number[] = [];
let startMs: number | undefined;
let previous = { ms: 0, count: 0 };
function add(atMs: number, kind: 0 | 1 | 2, side: 1 | -1, price: number, quantity: number): void {
  startMs ??= Math.floor(atMs);
  const ms = Math.floor(atMs) - startMs;
  previous = { ms, count: ms === previous.ms ? previous.count + 1 : 0 };
  events.push(ms * 1e6 + previous.count, kind, side, price, quantity);
}
const levels = (atMs: number, kind: 0 | 2, side: 1 | -1, flat: FlatLevels): void => {
  for (let at = 0; at < flat.length; at += 2)
    add(atMs, kind, side, flat[at] ?? 0, flat[at + 1] ?? 0);
};
for (const event of recording.replayEvents(market)) {
  if (event.type === "trade") {
    const { isBuyerMaker, price, quantity } = event.trade;
    add(event.atMs, 1, isBuyerMaker ? -1 : 1, price, quantity);
  } else if (event.type === "depth" || event.type === "book") {
    const { bids, asks } = event.type === "depth" ? event.event : event.snapshot;
    const kind = event.type === "depth" ? 0 : 2;
    levels(event.atMs, kind, 1, bids);
    levels(event.atMs, kind, -1, asks);
  }
}
const zero = startMs ?? 0;
const nsOf = (timeMs: number): number => (timeMs - zero) * 1e6 + AFTER_EVENTS_NS;

// The decisions do not depend on fills, so every model has the same orders.
const schedule = await ours("risk-averse", true);
const orders = schedule.flatMap(({ enteredMs, side, price, quantity, timeMs }) => {
  const canceled = timeMs + everyMs - 1;
  return [
    nsOf(enteredMs ?? 0),
    nsOf(canceled),
    side === "BUY" ? 1 : -1,
    Number(price),
    Number(quantity),
  ];
});
writeFileSync(path.join(folder, "events"), Float64Array.from(events));
writeFileSync(path.join(folder, "orders"), Float64Array.from(orders));
const script = path.join(import.meta.dirname, "beside_hftbacktest.py");
const args = [
  script,
  path.join(folder, "events"),
  path.join(folder, "orders"),
  String(tick),
  String(lot),
];
const peer = spawnSync(python, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
process.stdout.write(`set ${number}, ${base}: ${schedule.length} orders of ${size}\n`);
for (const line of peer.stdout.trim().split("\n")) {
  const [name = "", partial = "", ...times] = line.split(" ");
  const queue = queues.find((each) => each === name);
  if (queue === undefined) continue;
  const rows = await ours(queue, partial === "1");
  const pairs = rows.map((row, at) => ({
    row,
    here: row.filledMs === 0 ? 0 : row.filledMs - zero,
    there: Number(times[at] ?? 0),
  }));
  const count = (is: (pair: (typeof pairs)[number]) => boolean): number => pairs.filter(is).length;
  const here = count((pair) => pair.here > 0);
  const there = count((pair) => pair.there > 0);
  const same = count((pair) => pair.here > 0 && pair.here === pair.there);
  const model = partial === "1" ? "partial fills" : "whole orders";
  process.stdout.write(
    `${queue}, ${model}: filled here ${here}, there ${there}, in the same millisecond ${same}\n`,
  );
  for (const { row, ...at } of pairs) {
    if (at.here === at.there) continue;
    process.stdout.write(
      `  ${row.side} ${row.quantity}@${row.price} at ${(row.enteredMs ?? 0) - zero}, queue ${row.queueAhead}, filled ${row.executed}: here ${at.here}, there ${at.there}\n`,
    );
  }
}
rmSync(folder, { recursive: true });
