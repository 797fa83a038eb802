import { expect, test } from "vitest";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { scripted } from "../kernel/harness.ts";
import { NOW } from "../support/exchange.ts";
import { book, depth, play, setupOf, trade, ways } from "./hand-made.ts";

/** A strategy cannot see what has not arrived, whatever it does with what it is given. */

const DELAY_MS = 250;
const EVERY_MS = 100;
const EVENTS = 100;

/** The number of the event that set a price. */
const numberOf = (price: number): number => Math.round((price - 100) * 100);
const priceOf = (event: number): number => Number((100 + event / 100).toFixed(2));

/** Event n sets the best bid to 100 + n ÷ 100 and trades there, so that each price tells which event was seen. */
function risingMarket(): readonly RecordedStep[] {
  const steps = [book(0, [priceOf(0), 5], [102, 5])];
  for (let event = 1; event < EVENTS; event += 1) {
    const at = event * EVERY_MS;
    steps.push(depth(at, [priceOf(event - 1), 0, priceOf(event), 5], []));
    steps.push(trade(at + 1, priceOf(event), 1, true));
  }
  return steps;
}

/** The newest event that has reached the bot. */
const newestAt = (nowMs: number): number => Math.floor((nowMs - NOW - DELAY_MS) / EVERY_MS);

test("nothing that a strategy was ever given shows an event that has not arrived", () => {
  const kept: MarketView[] = [];
  let calls = 0;
  let newest = 0;
  const decide = (view: MarketView) => {
    calls += 1;
    // Some old ones and the newest: to read them all each time would take long.
    if (calls % 20 !== 1) kept.pop();
    kept.push(view);
    const limit = newestAt(view.nowMs);
    for (const { book: seen, trades, position, orders, fills } of kept) {
      const levels = [seen.best("BUY"), seen.level("BUY", 0), ...seen.levels("BUY", 5)];
      const prices = [...levels.map((level) => level?.price), ...trades.map(({ price }) => price)];
      for (const price of prices) {
        const event = numberOf(price ?? 0);
        newest = Math.max(newest, event);
        if (event > limit) throw new Error(`event ${event} was seen when ${limit} was the newest`);
      }
      for (const { timeMs } of trades)
        if (timeMs > view.nowMs - DELAY_MS) throw new Error("a late trade");
      if (orders.length + fills.length > 0 || !position.base.isZero()) throw new Error("no orders");
    }
    return keepQuotes({ wakeAtMs: view.nowMs + 31 });
  };
  const faults: unknown[] = [];
  play(
    setupOf(decide, ways(10, DELAY_MS)),
    risingMarket(),
    {},
    {
      stepped: ({ notes }) => faults.push(...notes.filter(({ type }) => type === "strategyFault")),
    },
  );
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(EVENTS);
  // The check had something to find.
  expect(newest).toBeGreaterThan(EVENTS - 10);
});

test("a strategy that changes what it is given changes nothing for others, nor for its next call", () => {
  const observed = (meddles: boolean): readonly string[] => {
    const seen: string[] = [];
    const note = (who: string, view: MarketView) => {
      const { book: own, trades, nowMs, makerFee, position, risk } = view;
      const prices = own.levels("BUY", 3).map(({ price, quantity }) => `${price}x${quantity}`);
      const traded = trades.map(({ price, quantity }) => `${price}x${quantity}`);
      const rest = [makerFee, position.base, risk.step, ...Object.keys(risk)];
      seen.push([who, nowMs, own.mid, ...prices, ...traded, ...rest].join(" "));
    };
    const meddler = (view: MarketView) => {
      note("first", view);
      if (meddles) meddleWith(view);
      return keepQuotes();
    };
    const observer = (view: MarketView) => {
      note("second", view);
      return keepQuotes();
    };
    const setup = setupOf(meddler, ways(10, DELAY_MS));
    const [first] = setup.kernel.strategies;
    if (first === undefined) throw new Error("no strategy");
    const second = { ...first, name: "observer", definition: scripted(observer) };
    const kernel = { ...setup.kernel, strategies: [first, second] };
    play({ ...setup, kernel }, risingMarket());
    return seen;
  };
  const plain = observed(false);
  expect(plain.length).toBeGreaterThan(EVENTS);
  expect(observed(true)).toEqual(plain);
});

/** Changes everything that a view leads to, as far as it lets itself be changed. */
function meddleWith(view: MarketView): void {
  const { book: own, trades, orders, fills, legs, stops, risk, position, market, rules } = view;
  for (const level of own.levels("BUY", 3))
    attempt(() => Object.assign(level, { price: 1, quantity: 0 }));
  const best = own.best("BUY");
  for (const part of [best, own, position, risk, market, rules, view, ...trades]) {
    if (part === undefined) continue;
    for (const name of Object.keys(part)) attempt(() => Reflect.set(part, name, 0));
    for (const name of ["mid", "price", "quantity", "nowMs", "makerFee", "base", "tick", "lot"]) {
      attempt(() => Reflect.set(part, name, 7));
    }
  }
  for (const list of [trades, orders, fills, legs, stops]) {
    attempt(() => Reflect.set(list, "length", 0));
  }
}

function attempt(change: () => unknown): void {
  try {
    change();
  } catch {
    // Refused, as it should be.
  }
}
