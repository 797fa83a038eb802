import { VirtualBot } from "../../src/backtest/virtual-bot.ts";
import { Prng } from "../../src/base/prng.ts";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import type { Market } from "../../src/domain/market.ts";
import { rulesOf } from "../../src/domain/rules-of.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Keccak256 } from "../../src/spec/transaction.ts";
import { NOBODY } from "../../src/simulated/simulated-account.ts";
import { scriptedFills } from "../../src/testing/scripted-market.ts";
import { trialSetup } from "../../src/testing/setup.ts";
import hedgedMaker from "../../strategies/hedged-maker.ts";
import { start } from "../kernel/harness.ts";

/** `stale`: the bot loses its book. `gapped`: its price has moved when the bot loses it. `halted`: its book is empty. */
export type Trouble = "none" | "stale" | "halted" | "gapped";
export const SIZE = 1;
const TICK_MS = 100;
const LENGTH_MS = 60_000;

/** What a world has shown; base token and milliseconds. */
export interface WorldResult {
  readonly trouble: Trouble;
  readonly fills: number;
  readonly hedges: number;
  /** The smallest order of the hedge market. */
  readonly least: number;
  readonly mostUnhedged: number;
  /** Of what is at least a smallest order: its integral over time, in base token seconds, and its longest time outside the trouble. */
  readonly exposureSeconds: number;
  readonly longestMs: number;
  readonly troubleMs: number;
  /** At the last price of the hedge market, after fees. */
  readonly pnl: number;
}

/** A minute of two markets that follow one random walk, with trades in the main one, while the hedge market has a trouble. */
export function hedgeWorld(seed: number, trouble: Trouble, keccak256: Keccak256): WorldResult {
  const prng = new Prng(seed);
  const options = { params: { size: String(SIZE) }, latency: delays(prng.pick([5, 20, 80])) };
  const base = trialSetup(hedgedMaker, options);
  const { market: main, byRole } = base;
  const hedge = byRole.get("hedge") ?? main;
  const { marketId: id } = hedge;
  const held = { main: 0, hedge: 0, quote: 0, fills: 0, hedges: 0 };
  const setup = {
    ...base,
    models: { ...base.models, fills: scriptedFills },
  };
  const bot = new VirtualBot(setup, keccak256, {
    block: ({ orderEvents }) => {
      for (const { order, fill } of orderEvents) {
        if (fill === undefined || order.account !== NOBODY) continue;
        const isMain = fill.marketId === main.marketId;
        const [quantity, fee] = [fixedToNumber(fill.quantity), fixedToNumber(fill.fee)];
        const paid = quantity * fixedToNumber(fill.price);
        const isBuy = fill.side === "BUY";
        held[isMain ? "main" : "hedge"] += isBuy ? quantity - fee : -quantity;
        held.quote += isBuy ? -paid : paid - fee;
        held[isMain ? "fills" : "hedges"] += 1;
      }
    },
    decided: () => undefined,
    stepped: () => undefined,
  });

  let price = 2_000;
  let events = 0;
  const book = (of: Market, half: number, isEmpty = false) => {
    events += 1;
    const [bid, ask] = [price * (1 - half), price * (1 + half)];
    const { marketId: to } = of;
    const levels = (from: number, step: number) =>
      Float64Array.from(
        (isEmpty ? [] : [0, 1, 2]).flatMap((at) => [grid(from + at * step), 0.7 + at]),
      );
    const snapshot = { marketId: to, lastId: events, timeMs: bot.nowMs };
    const sides = { bids: levels(bid, -0.5), asks: levels(ask, 0.5) };
    bot.venue.play(
      to,
      { type: "book", atMs: bot.nowMs, snapshot: { ...snapshot, ...sides } },
      bot.nowMs,
    );
  };
  /** Up to a share of the price from it. */
  const trade = (of: Market, most: number) => {
    events += 1;
    const isBuyerMaker = prng.chance(0.5);
    const reach = price * most * prng.unit();
    bot.venue.play(
      of.marketId,
      {
        type: "trade",
        atMs: bot.nowMs,
        trade: {
          marketId: of.marketId,
          tradeId: String(events),
          price: grid(isBuyerMaker ? price - reach : price + reach),
          quantity: 3 * prng.unit(),
          timeMs: bot.nowMs,
          isBuyerMaker,
        },
      },
      bot.nowMs,
    );
  };
  const fromMs = start + 10_000 + prng.int(0, 10_000);
  const untilMs = trouble === "none" ? fromMs : fromMs + prng.int(3_000, 25_000);
  const least = fixedToNumber(rulesOf(hedge).minSizeAt(price));
  const seen = { most: 0, integral: 0, longest: 0, since: start };
  const measure = (passedMs: number) => {
    const unhedged = Math.abs(held.main + held.hedge);
    seen.most = Math.max(seen.most, unhedged);
    const isOutside = bot.nowMs < fromMs || bot.nowMs > untilMs;
    if (unhedged < least) seen.since = bot.nowMs;
    else seen.integral += (unhedged * passedMs) / 1_000;
    if (!isOutside) seen.since = bot.nowMs;
    seen.longest = Math.max(seen.longest, bot.nowMs - seen.since);
  };
  const runUntil = (until: number) => {
    while (bot.nowMs < until) {
      const before = bot.nowMs;
      const next = Math.min(until, Math.max(bot.nextMs, before + 1));
      measure(next - before);
      bot.advanceTo(unixMs(next), () => undefined);
    }
  };

  bot.start(unixMs(start));
  runUntil(start + 2_000);
  let isTroubled = false;
  for (let atMs = start + 2_000; atMs < start + LENGTH_MS; atMs += TICK_MS) {
    price *= Math.exp(0.0002 * prng.normal());
    const isNow = atMs >= fromMs && atMs < untilMs;
    if (isNow !== isTroubled) {
      isTroubled = isNow;
      if (isNow && trouble === "gapped")
        price *= 1 + prng.pick([-1, 1]) * (0.01 + 0.04 * prng.unit());
      if (trouble === "stale" || trouble === "gapped") {
        if (isNow) bot.loseMarket(id, bot.nowMs);
        else bot.regainMarket(id, bot.nowMs);
      }
    }
    book(main, 0.002);
    book(hedge, 0.0003, trouble === "halted" && isNow);
    if (prng.chance(0.3)) trade(main, 0.004);
    // A jump is believed once others trade there.
    if (!(trouble === "halted" && isNow) && prng.chance(0.3)) trade(hedge, 0.0005);
    runUntil(atMs + TICK_MS);
  }
  return {
    trouble,
    fills: held.fills,
    hedges: held.hedges,
    least,
    mostUnhedged: seen.most,
    exposureSeconds: seen.integral,
    longestMs: seen.longest,
    troubleMs: untilMs - fromMs,
    pnl: held.quote + (held.main + held.hedge) * price,
  };
}

function delays(ms: number) {
  return { entry: `${ms}ms`, response: `${ms}ms`, feed: `${ms}ms` };
}

/** A price of the tick of 0.1. */
function grid(price: number): number {
  return Math.round(price * 10) / 10;
}
